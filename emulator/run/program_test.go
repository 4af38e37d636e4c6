package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// scheduled is a run under the program of a file.
func scheduled(t *testing.T, file string) Config {
	t.Helper()
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	p, err := all.Resolve(policy.ExecPrefix + file)
	if err == nil {
		p, err = policy.WithProgram(p, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	c.Policy = p
	return c
}

func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.sh")
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// A run keeps the program that decides, so that it can be repeated: with its sum, and so that it can be started.
func TestRunKeepsItsProgram(t *testing.T) {
	const text = "#!/bin/sh\nexit 1\n"
	c := scheduled(t, script(t, text))
	dir, record, lock := begun(t, c)
	defer func() { _ = lock.Close() }()
	kept := filepath.Join(c.Dir, "program", "mine.sh")
	if got, err := os.ReadFile(kept); err != nil || string(got) != text {
		t.Errorf("got %q, %v, want %q", got, err, text)
	}
	if sum, err := policy.CheckProgram(kept); err != nil || sum != record.Program.SHA256 || record.Program.File != "program/mine.sh" || record.Program.Bytes != int64(len(text)) {
		t.Errorf("got %+v for sum %s, %v", record.Program, sum, err)
	}
	if err := dir.CheckProgram(record); err != nil {
		t.Error(err)
	}
}

// A program that is too large is named with its size and sum, and not copied.
func TestLargeProgramIsNotKept(t *testing.T) {
	file := script(t, "#!/bin/sh\n")
	if err := os.Truncate(file, trace.MostKept+1); err != nil {
		t.Fatal(err)
	}
	c := scheduled(t, file)
	_, record, lock := begun(t, c)
	defer func() { _ = lock.Close() }()
	if p := record.Program; p.File != "" || p.Bytes != trace.MostKept+1 || len(p.SHA256) != 64 {
		t.Errorf("got %+v", p)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "program")); !os.IsNotExist(err) {
		t.Errorf("something is kept: %v", err)
	}
}

// A program that was changed after its sum was taken would run under the name of another: the run does not begin.
func TestChangedProgramIsRefused(t *testing.T) {
	file := script(t, "#!/bin/sh\n")
	c := scheduled(t, file)
	record, err := c.record()
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(file, []byte("#!/bin/sh\ntrue\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := "program: " + file + " was changed since this command began; run the command again"
	if _, _, err = c.create(record); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err = os.Stat(c.Dir); !os.IsNotExist(err) {
		t.Errorf("a directory is left: %v", err)
	}
}
