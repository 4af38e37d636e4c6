//go:build integration

package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// Every command of the README and of the pages of docs is run as it stands, in one directory that is
// empty at first, and what it prints is compared with what the pages show of it. Three steps run at a time, each after the
// earlier ones that it shares something with (hosttest.Earlier). See hosttest.Steps for what is not run.
//
// UPDATE_PAGES=1 writes what the pages show ("make docs"). PAGE=docs/run.md,... runs those pages alone, with the steps of
// other pages that they need.
func TestREADME(t *testing.T) {
	t.Parallel()
	backendtest.Needs(t, pandasImage, "make image-pandas")
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	p := pages{repository: repository, work: t.TempDir(), path: filepath.Join(repository, "build") + ":" + os.Getenv("PATH")}
	all := planned(t)
	steps := chosen(all)
	p.runAll(t, steps)
	if t.Failed() || len(steps) < len(all) {
		return
	}
	work := p.work
	made := hosttest.NamesMade(steps)
	entries, err := os.ReadDir(work)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !made[entry.Name()] && entry.Name() != examples {
			t.Errorf("a step makes %s, which hosttest.Earlier does not know", entry.Name())
		}
	}
	for _, name := range []string{
		"first/gantt.svg", "lab/comparison.csv", "table-5/table-5.csv", "table-5/table-5.md", "site.yaml", "week.csv", "orders/comparison.csv", "windows/sensitivity.csv",
		"demo/report.html", "demo/gantt.svg", "demo/comparison.csv", "my-run/metrics.json", "my-run.html",
		"my-comparison/report.html", "study/comparison.csv", "study/manifest.csv", "quick/comparison.csv", "all.html", "mini/jobs.csv", "workload.csv",
		"V.2.swf", "from-swf.csv", "imported.csv", "spread.csv", "V.2.json",
		"my-run-timeline.json", "evalys.csv", "small/report.html", "small/djsb.svg", "small/timeline.svg", "beside.html",
	} {
		if info, err := os.Stat(filepath.Join(work, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
	checkInstalled(t, repository, filepath.Join(repository, "build", "installed"))
	checkReleased(t, filepath.Join(repository, "build", "release"))
}

// checkInstalled looks at what "make install" of docs/install.md has put below prefix, and
// that "make uninstall" leaves no file of it.
func checkInstalled(t *testing.T, repository, prefix string) {
	t.Helper()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = repository
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	bin, share := filepath.Join(prefix, "bin", "slurmlab"), filepath.Join(prefix, "share")
	if got, want := run(bin, "version"), run("build/slurmlab", "version"); got != want {
		t.Errorf("the installed command is %q, the built one %q", got, want)
	}
	completion := filepath.Join(share, "bash-completion", "completions", "slurmlab")
	if got := run("bash", "-c", `. "$0" && complete -p slurmlab`, completion); !strings.Contains(got, "__start_slurmlab") {
		t.Errorf("bash completes slurmlab by %q", got)
	}
	for name, want := range map[string]string{
		"zsh/site-functions/_slurmlab":            "#compdef slurmlab",
		"fish/vendor_completions.d/slurmlab.fish": "complete -c slurmlab",
		"man/man1/slurmlab.1":                     `.TH "SLURMLAB" "1"`,
		"man/man1/slurmlab-campaign-run.1":        ".SH EXAMPLES",
	} {
		text, err := os.ReadFile(filepath.Join(share, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q: %v", name, want, err)
		}
	}
	run("make", "uninstall", "PREFIX="+prefix)
	err := filepath.WalkDir(prefix, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("make uninstall left %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// checkReleased looks at the parts of the release that docs/install.md makes: the image is one
// that "slurmlab image load" knows, and the list of parts has those of both. What else is in the list
// is tested in tools/release.
func checkReleased(t *testing.T, dir string) {
	t.Helper()
	one := func(pattern string) *os.File {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: got %q, %v, want one file", pattern, found, err)
		}
		file, err := os.Open(found[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	images, err := image.Read(one("slurmlab-*-image-26.05.tar"))
	if err != nil || len(images) != 1 || !slices.Contains(images[0].Names, "slurmlab:latest") {
		t.Errorf("the image's file has %+v, %v", images, err)
	}
	var bom struct {
		BOMFormat  string
		Components []struct{ Name, Version string }
	}
	if err = json.NewDecoder(one("slurmlab-*.cdx.json")).Decode(&bom); err != nil || bom.BOMFormat != "CycloneDX" {
		t.Errorf("the list of parts: %v, format %q", err, bom.BOMFormat)
	}
	for _, want := range []string{"github.com/spf13/cobra", "slurmctld", "slurmlabd", "slurmlab:latest"} {
		at := slices.IndexFunc(bom.Components, func(c struct{ Name, Version string }) bool { return c.Name == want })
		if at < 0 || bom.Components[at].Version == "" {
			t.Errorf("the list of parts has no %s with a version", want)
		}
	}
}
