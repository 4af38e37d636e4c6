package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The end of a run says what its cluster took of memory, and nothing where the kernel does not.
func TestEndTellsMemory(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "memory.stat"), []byte("anon 300\nfile 9000\nshmem 20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		root string
		want int64
	}{{root, 320}, {"", 0}} {
		end := within(t.Context(), boot.Cgroup{Root: test.root}, func(string) {}, func(context.Context) drive.End { return drive.End{Status: trace.StatusComplete} })
		if end.MemoryBytes != test.want || end.Status != trace.StatusComplete {
			t.Errorf("group at %q: got %+v, want %d bytes", test.root, end, test.want)
		}
	}
}
