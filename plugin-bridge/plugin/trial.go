package plugin

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
)

//go:embed snapshots.jsonl.gz
var recorded []byte

// mostTrialFailures is how often a program may fail to answer before the trial ends. The first
// hello must be good, as in a run.
const mostTrialFailures = 3

// Verdict is what a trial has shown.
type Verdict struct {
	// Snapshots is how many there are, Nodes the size of their machine.
	Snapshots, Nodes int
	// Answers counts those that could be read, Starts the jobs that a run would have started.
	Answers, Starts int
	// GivenUp says that the program failed to answer too often, or did not say hello at all,
	// and was asked no more.
	GivenUp bool
	// Longest is the real time of the longest answer.
	Longest time.Duration
	Faults  []TrialFault
}

// TrialFault is a fault of the answer to one snapshot, by its number; 0 for the hello.
type TrialFault struct {
	Number int
	Fault
}

// TrialSnapshots returns the recorded snapshots.
func TrialSnapshots() ([]auction.Snapshot, error) {
	var all []auction.Snapshot
	_, err := journal.Read(bytes.NewReader(recorded), "snapshots.jsonl.gz", func(c journal.Entry) error {
		all = append(all, c.Snapshot)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read recorded snapshots: %w", err)
	}
	return all, nil
}

// Trial asks the program about each snapshot, with a limit of real time for each answer. It
// fails if ctx ends.
func Trial(ctx context.Context, p Program, limit time.Duration) (Verdict, error) {
	snapshots, err := TrialSnapshots()
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Snapshots: len(snapshots), Nodes: len(snapshots[0].Nodes)}
	t := teller{program: p, limit: limit}
	failures := 0
	for _, s := range snapshots {
		began := time.Now()
		number, answer, fault := t.ask(ctx, s)
		if ctx.Err() != nil {
			return v, context.Cause(ctx)
		}
		v.Longest = max(v.Longest, time.Since(began))
		if fault != nil {
			v.Faults = append(v.Faults, TrialFault{number, *fault})
			failures++
			if v.GivenUp = failures == mostTrialFailures || number == 0 && v.Answers == 0; v.GivenUp {
				return v, nil
			}
			continue
		}
		v.Answers++
		bids, faults := Judge(s, answer)
		v.Starts += len(bids)
		t.judged(s, bids, faults)
		for _, f := range faults {
			v.Faults = append(v.Faults, TrialFault{number, f})
		}
	}
	return v, nil
}
