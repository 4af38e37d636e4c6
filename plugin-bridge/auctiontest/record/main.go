// Command record takes the states of machine and window out of run directories,
// for the benchmarks of the solver (auctiontest.States).
//
//	record FILE DIR...
package main

import (
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: record FILE DIR...")
		os.Exit(2)
	}
	if err := record(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func record(file string, dirs []string) error {
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
		states, err := replay(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		some := choose(states)
		fmt.Fprintf(os.Stderr, "%s: %d of %d cycles with bids are rebuilt, %d taken\n", path, len(states), bidding(data), len(some))
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
