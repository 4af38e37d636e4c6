package main

import (
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
)

// states writes a file of some states of each run, chosen by how busy the machine is.
func states(file string, dirs []string) error {
	var chosen []auctiontest.State
	for _, path := range dirs {
		dir, err := trace.Open(path)
		if err != nil {
			return err
		}
		data, err := dir.Load()
		if err != nil {
			return err
		}
		all, err := replay(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		some := choose(all)
		fmt.Fprintf(os.Stderr, "%s: %d of %d cycles with bids are rebuilt, %d taken\n", path, len(all), bidding(data), len(some))
		chosen = append(chosen, some...)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err = auctiontest.WriteStates(out, chosen); err != nil {
		return err
	}
	return out.Close()
}

// bidding counts the cycles that had bids.
func bidding(data trace.Data) int {
	n := 0
	for _, c := range data.Cycles {
		if c.Bids > 0 {
			n++
		}
	}
	return n
}
