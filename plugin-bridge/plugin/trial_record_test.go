package plugin

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
)

// TestRecord rewrites the recorded snapshots if RECORD names the directory of an auction run, such as
//
//	slurmlab run --machine S --workload IV.1 --policy auction --seed 7
func TestRecord(t *testing.T) {
	dir := os.Getenv("RECORD")
	if dir == "" {
		hosttest.Elsewhere(t, "where RECORD names a run whose snapshots are to be recorded")
	}
	text, err := os.ReadFile(filepath.Join(dir, "snapshots.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var all []journal.Entry
	if _, err = journal.Read(bytes.NewReader(text), dir, func(c journal.Entry) error {
		all = append(all, journal.Entry{Cycle: c.Cycle, Snapshot: c.Snapshot, Options: c.Options})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	const wanted = 40
	var out bytes.Buffer
	w := journal.NewWriter(&out)
	for i := range wanted {
		if err = w.Write(all[i*len(all)/wanted]); err != nil {
			t.Fatal(err)
		}
	}
	if err = os.WriteFile("snapshots.jsonl.gz", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
