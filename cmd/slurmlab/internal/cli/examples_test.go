package cli

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// unreachable is what a command says that needs a cluster, where there is no Docker.
const unreachable = "Docker cannot be reached"

// needsClusters are the commands whose first example needs a cluster or an image: without Docker the example must get as far
// as that. One with a reason is not run here.
func needsClusters() map[string]string {
	return map[string]string{
		"campaign run": "", "compare": "", "djsb run": "", "doctor": "", "down": "", "image list": "", "image unpack": "",
		"paper aucsched": "", "paper aucsched2": "", "paper ipsched": "", "run": "", "shell": "", "status": "", "top": "", "up": "",
		"djsb report": "it computes for long: TestScript/djsb has it",
		"dev solve":   "it needs HiGHS in a container, and a run with dump_models",
		"explain":     "it needs a run that recorded its cycles: TestREADME explains some",
		"image load":  "it needs a file of a release: TestREADME makes and loads one",
		"serve":       "it serves until somebody ends it",
	}
}

// givenFiles are the files that examples read: what the demo leaves, and what users have.
func givenFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func(name, text string) {
		do(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		do(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	same := func(name, of string) {
		read, err := os.ReadFile(filepath.Join(top, of))
		do(err)
		text(name, string(read))
	}
	command := func(words ...string) {
		if code, printed := typed(append([]string{"slurmlab"}, words...)); code != exitGood {
			t.Fatalf("%q: exit code %d\n%s", words, code, printed)
		}
	}
	for _, folder := range []string{"runs/demo-20260101-120000", "reported"} {
		for _, policy := range []string{"backfill", "auction"} {
			recordedRun(t, filepath.Join(dir, folder), policy, "1")
		}
	}
	for _, name := range []string{"real-1", "real-2", "jump-1", "jump-2"} {
		do(os.CopyFS(filepath.Join(dir, "truth", name), os.DirFS("testdata/runs/S-V.2-auction-seed1")))
	}
	for _, name := range []string{"slurm.conf", "gres.conf", "qos.txt", "assoc.cfg", "sacct.txt"} {
		same(name, "examples/whatif/"+name)
	}
	same("dump.txt", "examples/whatif/sacct.txt")
	same("my_scheduler.py", "examples/plugins/easy.py")
	text("campus.yaml", "name: campus\nnodes: 4\ncores: 8\n")
	const study = "machines: S\nworkloads: V.2\ntheoretical_runtime: 5m\nseeds: 1\npolicies: [backfill, auction]\n"
	text("study.yaml", study)
	text("study/inputs/campaign.yaml", study)
	text("events.txt", "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"+
		"cygnus|cn12|2026-03-02T08:10:00|2026-03-02T09:00:00|DOWN*|Not responding|slurm(900)\n")
	t.Chdir(dir)
	command("machine", "import", "slurm.conf", "gres.conf", "--out", "mine.yaml")
	command("whatif", "init", "slurm.conf", "gres.conf", "qos.txt", "assoc.cfg", "sacct.txt", "--out", "site")
	for name, of := range map[string]string{"site.yaml": "whatif.yaml", "machine.yaml": "machine.yaml", "policy.yaml": "policy.yaml"} {
		do(os.Rename(filepath.Join("site", of), name))
	}
	command("workload", "export", "V.2", "--machine", "L", "--format", "swf", "--out", "trace.swf")
	packed, err := os.Create("trace.swf.gz")
	do(err)
	plain, err := os.Open("trace.swf")
	do(err)
	to := gzip.NewWriter(packed)
	_, err = io.Copy(to, plain)
	do(err)
	do(to.Close())
	do(packed.Close())
	do(plain.Close())
	return dir
}

// exampleDir is a directory with the given files of which an example may write none: links to them, without the one of --out.
func exampleDir(t *testing.T, given string, words []string) string {
	t.Helper()
	dir := t.TempDir()
	entries, err := os.ReadDir(given)
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	if at := slices.Index(words, "--out"); at >= 0 {
		out = words[at+1]
	}
	for _, entry := range entries {
		name := entry.Name()
		of := name
		switch {
		case name == out:
			continue
		case strings.HasPrefix(strings.Join(words, " "), "campaign report ") && name == "study":
			// One that has runs.
			of = "reported"
		}
		if entry.IsDir() {
			err = os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(given, of)))
		} else {
			err = os.Link(filepath.Join(given, of), filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The first example of each help works on a machine that has only run the demo, with the files of a user where it reads some.
// An example that needs a cluster gets as far as Docker.
func TestFirstExamplesWork(t *testing.T) {
	hosttest.Program(t, "python3")
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	given, clusters, ran := givenFiles(t), needsClusters(), 0
	walk(func(c *cobra.Command) {
		first := commandsOf(c.Example)
		path := strings.TrimPrefix(c.CommandPath(), "slurmlab ")
		why, cluster := clusters[path]
		if len(first) == 0 || !ours(c) || why != "" {
			return
		}
		t.Run(path, func(t *testing.T) {
			t.Chdir(exampleDir(t, given, first[0]))
			words := []string{"slurmlab"}
			for _, word := range first[0] {
				// As a shell has it.
				if found, err := filepath.Glob(word); err == nil && len(found) > 0 {
					words = append(words, found...)
				} else {
					words = append(words, word)
				}
			}
			code, printed := typed(words)
			switch {
			case cluster && (code == exitGood || !strings.Contains(printed, unreachable)):
				t.Errorf("%q: exit code %d, want %q in\n%s", words, code, unreachable, printed)
			case !cluster && code != exitGood:
				t.Errorf("%q: exit code %d\n%s", words, code, printed)
			}
			ran++
		})
	})
	if ran < 44 {
		t.Errorf("ran %d examples; there are more", ran)
	}
}
