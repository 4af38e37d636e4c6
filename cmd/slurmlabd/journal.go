package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
)

// journalTo creates snapshots.jsonl.gz in dir and returns a function that writes
// cycles to it. Nothing is buffered, so that the file may be left open: it is
// whole after each cycle, also when this process is killed.
func journalTo(dir string) (func(journal.Entry) error, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("record snapshots: %w", err)
	}
	file, err := os.Create(filepath.Join(dir, drive.SnapshotsName))
	if err != nil {
		return nil, fmt.Errorf("record snapshots: %w", err)
	}
	return journal.NewWriter(file).Write, nil
}
