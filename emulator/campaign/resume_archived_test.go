package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// A folder whose runs were archived since is still the folder of these runs: "paper" and
// "compare" "find a run again that was archived since" (docs/run-directory.md). A run that is
// there both ways counts once.
func TestFolderOfArchivedRuns(t *testing.T) {
	out := t.TempDir()
	path := filepath.Join(out, "S-V.2-backfill-seed1")
	if err := os.CopyFS(path, os.DirFS(recorded("backfill"))); err != nil {
		t.Fatal(err)
	}
	dir, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = dir.Archive(true); err != nil {
		t.Fatal(err)
	}
	for _, both := range []bool{true, false} {
		if !both {
			if err = os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		if got := RunsIn(out); !slices.Equal(got, []string{path}) {
			t.Errorf("both %t: got %v, want %s", both, got, path)
		}
		if err = CheckOurs(out, []run.Config{{Dir: path}}); err != nil {
			t.Errorf("both %t: %v", both, err)
		}
	}
	if err = CheckOurs(out, []run.Config{{Dir: filepath.Join(out, "other")}}); err == nil {
		t.Error("a folder of other runs is taken")
	}
}
