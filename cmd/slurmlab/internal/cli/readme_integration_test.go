//go:build integration

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command of the README and of the pages of docs is run as it stands, page after
// page in the order of docs/README.md, in one directory that is empty at first. See
// stepsOf for what is not run.
func TestREADME(t *testing.T) {
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	for _, s := range planned(t) {
		if s.skip != "" {
			t.Logf("%s is not run: %s", s, s.skip)
			continue
		}
		script, dir := s.script, work
		if s.atTop {
			dir = repository
			script = strings.ReplaceAll(script, "make ", "make DEMO="+filepath.Join(work, "demo")+" ")
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-u", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(repository, "build")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		t.Logf("%s\n%s\n%s", s, script, out)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	for _, name := range []string{
		"demo/report.html", "demo/gantt.svg", "demo/comparison.csv", "mine/comparison.csv", "my-run/metrics.json", "my-run.html",
		"my-comparison/report.html", "study/comparison.csv", "study/manifest.csv", "all.html", "mini/jobs.csv", "workload.csv",
		"rehearsal/table-5.csv", "rehearsal/table-5.md", "V.2.swf", "from-swf.csv", "imported.csv", "spread.csv", "V.2.json",
		"my-run-timeline.json", "evalys.csv", "small/report.html", "small/djsb.svg", "small/timeline.svg", "beside.html",
	} {
		if info, err := os.Stat(filepath.Join(work, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
}
