package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// dumpAuctionTo returns a function that writes an auction's program into dir.
func dumpAuctionTo(dir string) func(int, auction.Snapshot, auction.Result) error {
	return func(cycle int, s auction.Snapshot, r auction.Result) error {
		return dumpTo(dir, cycle, papers.AUCSCHED2(s, r.Bids, r.Problem))
	}
}

// dumpTo writes the program of a cycle as cycle-000123.json.gz into dir.
func dumpTo(dir string, cycle int, p program.Program) error {
	p.Name = fmt.Sprintf("cycle-%06d", cycle)
	file, err := os.Create(filepath.Join(dir, p.Name+".json.gz"))
	if err != nil {
		return err
	}
	// A fast compression, as the writing takes time of the cycle.
	packed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(program.WriteJSON(packed, p), packed.Close(), file.Close())
}
