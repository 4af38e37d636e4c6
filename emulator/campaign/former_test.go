package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// beginFormerly makes a folder with the copy of its campaign file, as commit 6ecf27e did.
func beginFormerly(t *testing.T, folder, text string) {
	t.Helper()
	inputs := filepath.Join(folder, inputsName)
	if err := os.MkdirAll(inputs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inputs, campaignName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// recordFormerly puts a complete run into a folder, with the name and the run.json that commit 6ecf27e gave it. word is what the key
// slurm has, empty for none.
func recordFormerly(t *testing.T, folder, name, word string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.CopyFS(path, os.DirFS(recorded("backfill"))); err != nil {
		t.Fatal(err)
	}
	seed := `"seed": 1,`
	if word != "" {
		seed += ` "slurm": "` + word + `",`
	}
	for from, to := range map[string]string{
		`"seed": 1,`: seed, `"policy": "backfill",`: `"policy": "backfill-whole-queue",`, `"clock": "scaled"`: `"clock": "jump"`, `"time_scale": 20`: `"time_scale": 1`,
	} {
		edit(t, filepath.Join(path, "run.json"), from, to)
	}
}

const formerFile = "machines: S\nworkloads: V.2\nestimated_runtime: 5m\npolicies: backfill-whole-queue\n"

// Issue 40: "a campaign file or started folder without the key means what it meant; a folder begun with commit 6ecf27e resumes
// without a rerun". It does so by its file, which may be given again, and by its folder, and before and after it was opened.
func TestFolderBegunFormerlyRunsNothingAgain(t *testing.T) {
	for key, runs := range map[string]map[string]string{
		"":               {"": "frontend-24.11"},
		"slurm: 24.11\n": {"24.11": "frontend-24.11"},
		"slurm: 26.05\n": {"26.05": "external-26.05"},
		"slurm: [24.11, 26.05, 26.05-slurmd]\nexclude: {slurm: 26.05, seed: 2}\nseeds: 1..2\n": {"24.11": "frontend-24.11", "26.05": "external-26.05", "26.05-slurmd": "slurmd-26.05"},
	} {
		folder := filepath.Join(t.TempDir(), "study")
		file := folder + ".yaml"
		if err := os.WriteFile(file, []byte(formerFile+key), 0o600); err != nil {
			t.Fatal(err)
		}
		beginFormerly(t, folder, formerFile+key)
		for word := range runs {
			label := "-" + word
			if word == "" || word == "24.11" {
				label = ""
			}
			recordFormerly(t, folder, "S-V.2-backfill-whole-queue"+label+"-seed1", word)
		}
		for round, path := range []string{file, folder, file} {
			st, err := Open(path, FileOptions{Version: "2"})
			if err != nil {
				t.Fatalf("%q: %v", key, err)
			}
			entries, err := st.Entries()
			if err != nil {
				t.Fatalf("%q: %v", key, err)
			}
			there := 0
			for i, e := range entries {
				if st.Runs[i].Seed == 1 && e.state != run.StateComplete {
					t.Errorf("%q: %s is %s", key, st.Runs[i].Dir, e.state)
				}
				if e.state == run.StateComplete {
					there++
					if name := st.Runs[i].Backend.Name(); !strings.Contains(fmt.Sprint(runs), ":"+name) {
						t.Errorf("%q: %s is a run of %s", key, st.Runs[i].Dir, name)
					}
				}
			}
			if there != len(runs) {
				t.Errorf("%q: %d runs are there, want %d", key, there, len(runs))
			}
			if there == len(entries) {
				// Without a run to make nothing is asked for, neither Docker nor an image.
				var configs []run.Config
				configs, err = st.Configs("", 0)
				e := Execution{Terminal: silent{}, Out: folder, GoesOn: true, AnyBuild: true}
				var found []run.ExistingRun
				if err == nil {
					found, err = e.Find(configs)
				}
				if err == nil {
					err = e.RunMissing(context.Background(), 0, configs, found)
				}
				if err != nil {
					t.Errorf("%q: %v", key, err)
				}
			}
			if err = st.keep(); err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(filepath.Join(folder, inputsName, campaignName))
			if err != nil || string(kept) != formerFile+key {
				t.Errorf("%q: in round %d the folder keeps %q, %v", key, round, kept, err)
			}
		}
	}
}

// The same files in a new folder take what is the default today, whose keys the folder keeps: another default later changes nothing.
func TestNewFolderKeepsItsBackends(t *testing.T) {
	for key, want := range map[string][2]string{
		"":                                {"external-26.05", "\nbackend: [external]\nslurm: [26.05]\n"},
		"slurm: [24.11, 26.05]\n":         {"frontend-24.11 external-26.05", "\nbackend: [frontend, external]\n"},
		"backend: [frontend, external]\n": {"frontend-24.11 external-26.05", ""},
	} {
		folder := filepath.Join(t.TempDir(), "study")
		file := folder + ".yaml"
		if err := os.WriteFile(file, []byte(formerFile+key), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, folder, file} {
			st, err := Open(path, FileOptions{Version: "2"})
			if err != nil {
				t.Fatalf("%q: %v", key, err)
			}
			var names []string
			for _, b := range st.Backends() {
				names = append(names, b.Name())
			}
			if got := strings.Join(names, " "); got != want[0] {
				t.Errorf("%q: runs on %s, want %s", key, got, want[0])
			}
			if err = st.keep(); err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(filepath.Join(folder, inputsName, campaignName))
			if err != nil || string(kept) != formerFile+key+want[1] {
				t.Errorf("%q: the folder keeps %q, %v", key, kept, err)
			}
		}
	}
	text := "{machines: S, workloads: V.2, policies: fifo}\n"
	st := Study{text: []byte(text)}
	var err error
	if st.Plan, err = Read("study.yaml", st.text, st.sources("")); err != nil {
		t.Fatal(err)
	}
	if kept := string(st.withBackends()); kept != "{backend: [external], slurm: [26.05], machines: S, workloads: V.2, policies: fifo}\n" || !namesBackends([]byte(kept)) || namesBackends(st.text) {
		t.Errorf("the folder keeps %q", kept)
	}
}

// A comparison or a table of a paper finds the runs of its folder by their former names.
func TestFormerPlaces(t *testing.T) {
	folder := t.TempDir()
	recordFormerly(t, folder, "S-V.2-backfill-whole-queue-seed1", "")
	recordFormerly(t, folder, "S-V.2-backfill-whole-queue-26.05-seed1", "26.05")
	st, err := Read("study.yaml", []byte(formerFile+"backend: [frontend, external, slurmd]\n"), (&Study{}).sources(""))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range st.Runs {
		names = append(names, r.DirName(folder, Side{Policy: r.Policy, Backend: r.Backend}))
	}
	want := "S-V.2-backfill-whole-queue-seed1 S-V.2-backfill-whole-queue-26.05-seed1 S-V.2-backfill-whole-queue-slurmd-26.05-seed1"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, r := range st.Runs {
		if name := r.DirName(t.TempDir(), Side{Policy: r.Policy, Backend: r.Backend}); name != r.Dir {
			t.Errorf("in a new folder %s is %s", r.Dir, name)
		}
	}
	sides := []Side{{Policy: st.Runs[0].Policy, Backend: backend.Default()}, {Policy: st.Runs[0].Policy, Backend: st.Runs[2].Backend}}
	pairs, err := Pairs(st.Runs[:1], sides, folder, run.Config{})
	if err != nil || len(pairs) != 2 || filepath.Base(pairs[0].Dir) != "S-V.2-backfill-whole-queue-26.05-seed1" || filepath.Base(pairs[1].Dir) != "S-V.2-backfill-whole-queue-slurmd-26.05-seed1" {
		t.Errorf("got %+v, %v", pairs, err)
	}
}
