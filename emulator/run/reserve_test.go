package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReserve: a directory belongs to one command, from before it waits for a core, and
// nothing is left of one in which nothing ran.
func TestReserve(t *testing.T) {
	root := t.TempDir()
	out := filepath.Join(root, "runs", "été 2026", "mine")
	first, err := Reserve(out, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Reserve(out, false, 0); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second command got %v, want that it exists", err)
	}
	if _, err = Reserve(out, true, 0); !errors.Is(err, ErrReserved) {
		t.Errorf("a second command that would go on there got %v, want %v", err, ErrReserved)
	}
	first.Release()
	if entries, listErr := os.ReadDir(root); listErr != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, listErr)
	}

	kept, err := Reserve(out, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(filepath.Join(out, "run.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kept.Release()
	again, err := Reserve(out, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	if _, err = os.Stat(filepath.Join(out, "run.json")); err != nil {
		t.Error(err)
	}

	file := filepath.Join(root, "file")
	if err = os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Reserve(filepath.Join(file, "below", "it"), true, 0); err == nil {
		t.Error("a directory below a file was reserved")
	}
	if r, err := Reserve(file, true, 0); err == nil {
		r.Release()
		t.Error("a file was reserved")
	}
}

// TestCreateInReserved: a run takes the empty directory that was reserved for it.
func TestCreateInReserved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	reserved, err := Reserve(dir, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := placed(t, dir)
	c.Reserved = true
	record, err := c.record()
	if err != nil {
		t.Fatal(err)
	}
	_, lock, err := c.create(record)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	reserved.Release()
	if _, err = os.Stat(filepath.Join(dir, "run.json")); err != nil {
		t.Error(err)
	}
	c.Reserved = false
	if _, _, err = c.create(record); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without a reservation: got %v, want that it exists", err)
	}
}

// The tasks of a job array share a folder; a command that has it for itself and they keep each other out.
func TestShare(t *testing.T) {
	out := t.TempDir()
	if _, err := Share(filepath.Join(out, "none"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	one, err := Share(out, 0)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Share(out, 0)
	if err != nil {
		t.Fatal(err)
	}
	one.Release()
	if _, err = Reserve(out, true, 0); !errors.Is(err, ErrReserved) {
		t.Errorf("beside a task: %v, want %v", err, ErrReserved)
	}
	two.Release()
	own, err := Reserve(out, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Release()
	if _, err = Share(out, 0); !errors.Is(err, ErrReserved) {
		t.Errorf("beside a command: %v, want %v", err, ErrReserved)
	}
}
