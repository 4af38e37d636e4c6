package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const top = "../.."

// .ci/long-tests warns of each long step whose last green row is missing, older than 50 commits, or of an unknown
// commit. Rows of failed runs do not count, and rows of commits with changes do.
func TestOldLongTestsAreTold(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func() string {
		git("commit", "--quiet", "--allow-empty", "--message=c")
		return git("rev-parse", "--short=12", "HEAD")
	}
	script, err := os.ReadFile(filepath.Join(top, ".ci/long-tests"))
	if err != nil {
		t.Fatal(err)
	}
	// Of "go" only the plan is asked for.
	plan := "#!/bin/sh\necho 'strain long make\nfaults-long long make\nstress long make\nsoak long make\nhost test make'\n"
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if writeErr := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); writeErr != nil {
			t.Fatal(writeErr)
		}
	}
	write(".ci/long-tests", string(script))
	write("bin/go", plan)
	git("init", "--quiet")
	old := commit()
	for range 10 {
		commit()
	}
	recent := commit()
	for range 40 {
		commit()
	}
	write(".ci/long-tests.csv", strings.Join([]string{
		old + ",2026-01-01,strain,passed,9,0,0",
		recent + ",2026-01-01,faults-long,passed,9,3,0",
		recent + "+changes,2026-01-01,stress,passed,9,0,0",
		recent + ",2026-01-02,strain,failed,9,0,0",
		"0123456789ab,2026-01-01,soak,passed,9,0,0",
	}, "\n")+"\n")
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, ".ci/long-tests"))
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "warning: strain of make test-long was last green 51 commits ago, in " + old + "; run it again within 50\n" +
		"warning: soak of make test-long was last green in 0123456789ab, which is no commit of this history\n"
	if string(out) != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

// .ci/install has each program that a test asks for (hosttest.Program), but for those that every machine with Go and Docker has.
func TestWhatTestsAskForIsInstalled(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(top, ".ci/install"))
	if err != nil {
		t.Fatal(err)
	}
	there := []string{"bash", "dockerd", "make", "unshare"}
	asked := regexp.MustCompile(`hosttest\.Program\(t, "([^"]+)"\)`)
	found := 0
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "build" || entry.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/internal/hosttest/"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			found++
			if !slices.Contains(there, m[1]) && !regexp.MustCompile(fmt.Sprintf(`(?m)^need %s \S+$`, regexp.QuoteMeta(m[1]))).Match(script) {
				t.Errorf("%s asks for %s, which .ci/install does not install", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("%d places ask for programs; there are more", found)
	}
}
