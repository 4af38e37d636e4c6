package trial

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

//go:embed snapshots.jsonl.gz
var recorded []byte

// mostFailures is how often a program may fail to answer before the trial ends.
const mostFailures = 3

// Verdict is what a trial has shown.
type Verdict struct {
	// Snapshots is how many there are, Nodes the size of their machine.
	Snapshots, Nodes int
	// Asked counts the questions, Starts the jobs that a run would have started.
	Asked, Starts int
	// Longest is the real time of the longest answer.
	Longest time.Duration
	Faults  []Fault
}

// Fault is a fault of the answer to one snapshot, by its number; 0 for the hello.
type Fault struct {
	Number int
	plugin.Fault
}

// Snapshots returns the recorded snapshots.
func Snapshots() ([]auction.Snapshot, error) {
	var all []auction.Snapshot
	_, err := journal.Read(bytes.NewReader(recorded), "snapshots.jsonl.gz", func(c journal.Cycle) error {
		all = append(all, c.Snapshot)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read recorded snapshots: %w", err)
	}
	return all, nil
}

// Play asks the program about each snapshot, with a limit of real time for each answer. It
// fails if ctx ends.
func Play(ctx context.Context, p plugin.Program, limit time.Duration) (Verdict, error) {
	snapshots, err := Snapshots()
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Snapshots: len(snapshots), Nodes: len(snapshots[0].Nodes)}
	alive, failures := false, 0
	for i, s := range snapshots {
		began := time.Now()
		number, fault := 0, (*plugin.Fault)(nil)
		var answer plugin.Answer
		limited, cancel := context.WithTimeout(ctx, limit)
		if !alive {
			_, fault = plugin.Greet(limited, p, limit)
		}
		if fault == nil {
			number = i + 1
			v.Asked++
			answer, fault = plugin.Put(limited, p, plugin.NewSnapshot(s, number))
		}
		cancel()
		if ctx.Err() != nil {
			return v, context.Cause(ctx)
		}
		v.Longest = max(v.Longest, time.Since(began))
		alive = fault == nil
		if fault != nil {
			v.Faults = append(v.Faults, Fault{number, *fault})
			if failures++; failures == mostFailures {
				return v, nil
			}
			continue
		}
		bids, faults := plugin.Judge(s, answer)
		v.Starts += len(bids)
		for _, f := range faults {
			v.Faults = append(v.Faults, Fault{number, f})
		}
	}
	return v, nil
}
