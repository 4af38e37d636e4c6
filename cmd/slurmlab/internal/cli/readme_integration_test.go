//go:build integration

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command of the README is run as it stands, in the order of the page and
// in an empty directory; only "make test", which runs this test, is not.
func TestREADME(t *testing.T) {
	top, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		script := block[1]
		if strings.TrimSpace(script) == "make test" {
			continue
		}
		dir := work
		if strings.HasPrefix(script, "make ") {
			dir = top
			script = strings.ReplaceAll(script, "make ", "make DEMO="+filepath.Join(work, "demo")+" ")
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-u", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(top, "build")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		t.Logf("%s\n%s", script, out)
		if err != nil {
			t.Fatalf("%v", err)
		}
		ran++
	}
	if ran < 6 {
		t.Errorf("ran %d blocks of commands; the page has more", ran)
	}
	for _, name := range []string{
		"demo/report.html", "demo/gantt.svg", "demo/comparison.csv", "my-run/metrics.json", "my-run.html",
		"my-comparison/report.html", "all.html", "mini/jobs.csv", "workload.csv",
		"rehearsal/table-5.csv", "rehearsal/table-5.md", "imported.csv", "V.2.json", "my-run-timeline.json", "evalys.csv",
	} {
		if info, err := os.Stat(filepath.Join(work, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
}
