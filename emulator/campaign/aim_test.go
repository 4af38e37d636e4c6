package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
)

// recordedStudy is a campaign of two policies of Slurm's own that adds seeds to the two of its file, at most 12, with
// recorded runs of n seeds. Where they are even, the runs differ in each second seed alone, so that the interval is wide; otherwise in all.
func recordedStudy(t *testing.T, n int, even bool) Study {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "study")
	file := folder + ".yaml"
	record, err := os.ReadFile(filepath.Join(recorded("backfill"), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := "machines: S\nworkloads: V.2\ntheoretical_runtime: 5m\nseeds: 1..2\npolicies: [backfill-whole-queue, fifo]\nprecision: waiting=2%\nmax_seeds: 12\n"
	if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// The runs are older than the key backend, and so is their folder.
	beginFormerly(t, folder, text)
	for seed := 1; seed <= n; seed++ {
		for _, policy := range []string{"backfill-whole-queue", "fifo"} {
			source := "backfill"
			if policy == "fifo" && (even || seed%2 == 0) {
				source = "auction"
			}
			path := filepath.Join(folder, fmt.Sprintf("S-V.2-%s-seed%d", policy, seed))
			if err = os.CopyFS(path, os.DirFS(recorded(source))); err != nil {
				t.Fatal(err)
			}
			if err = os.RemoveAll(filepath.Join(path, "cycles.jsonl")); err != nil {
				t.Fatal(err)
			}
			// The schedule comes from the source, the settings from the policy.
			if err = os.WriteFile(filepath.Join(path, "run.json"), record, 0o600); err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{
				`"seed": 1,`: fmt.Sprintf(`"seed": %d,`, seed), `"policy": "backfill",`: `"policy": "` + policy + `",`,
				`"clock": "scaled"`: `"clock": "jump"`, `"time_scale": 20`: `"time_scale": 1`,
			} {
				edit(t, filepath.Join(path, "run.json"), from, to)
			}
			edit(t, filepath.Join(path, "workload.csv"), "job_id", fmt.Sprintf("# seed %d\njob_id", seed))
		}
	}
	st, err := Open(file, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.keep(); err != nil {
		t.Fatal(err)
	}
	return st
}

// "--until": seeds are added until every interval is narrow enough, or until there are as many as allowed.
func TestNextSeeds(t *testing.T) {
	const prefix = "fifo against backfill-whole-queue on V.2, machine S, backend frontend-24.11, "
	for _, test := range []struct {
		seeds int
		even  bool
		next  int
		want  []string
	}{
		{10, false, 12, []string{prefix + "10 seeds: relative difference in waiting time", ": wanted are ± 2 %", "waiting=2%: 0 of 1 interval narrow enough after 10 seeds; the next look is after 12."}},
		{12, false, 0, []string{prefix + "12 seeds", "waiting=2%: 0 of 1 interval narrow enough after 12 seeds, which are the most (--max-seeds)."}},
		{10, true, 0, []string{"± 0.0 %: narrow enough", "waiting=2%: every interval is narrow enough after 10 seeds."}},
	} {
		st := recordedStudy(t, test.seeds, test.even)
		if len(st.Seeds) != test.seeds {
			t.Fatalf("the study looks after %d seeds, want %d", len(st.Seeds), test.seeds)
		}
		g, err := Gather(st.Folder, FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		next, err := st.nextSeeds(g.Folder, func(text string) { told += text + " " })
		if err != nil || next != test.next {
			t.Errorf("%d seeds: the next look is after %d, %v, want %d", test.seeds, next, err, test.next)
		}
		contains(t, "the log", strings.Join(strings.Fields(told), " "), test.want...)
		contains(t, "the report", st.sequential(), fmt.Sprintf("%d to the 2 of the campaign file, until waiting time was within ± 2 %%, at most 12.", test.seeds-2))
	}
}

// An A/A campaign says how many metrics are called different although nothing differs, and others say nothing of it.
func TestWolfText(t *testing.T) {
	st := recordedStudy(t, 10, false)
	g, err := Gather(st.Folder, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	groups, err := g.Groups()
	if err != nil || len(groups) != 1 {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
	if got := strings.Join(g.Findings(groups), "\n"); strings.Contains(got, "compared with itself") {
		t.Errorf("two policies: got %q", got)
	}
	called, corrected, metrics := groups[0].Called()
	if called == 0 || corrected == called {
		t.Fatalf("%d of %d metrics are called different and %d by Holm, want some, and fewer", called, metrics, corrected)
	}
	groups[0].B = groups[0].A + trace.Again
	want := fmt.Sprintf("of %d metrics %d are called different at 5 %%, where %.1f are expected, and %d when", metrics, called, 0.05*float64(metrics), corrected)
	if got := strings.Join(g.Findings(groups), "\n"); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}
