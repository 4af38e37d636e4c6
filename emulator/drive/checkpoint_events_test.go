package drive_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// updating is Slurm that takes updates of partitions, which the one in memory knows nothing of, and notes them.
type updating struct {
	slurmctl.Runner
	seen   []string
	refuse bool
}

func (u *updating) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	if line := strings.Join(argv, " "); strings.HasPrefix(line, "scontrol update PartitionName=") {
		u.seen = append(u.seen, strings.TrimPrefix(line, "scontrol update "))
		if u.refuse {
			return nil, &slurmctl.CommandError{Argv: argv, ExitCode: 1, Stderr: "slurm_update error: Invalid partition name specified"}
		}
		return nil, nil
	}
	return u.Runner.Run(ctx, stdin, argv...)
}

// fourEvents are two before second 100, one at it, and one after it.
func fourEvents() []events.Event {
	return []events.Event{
		{At: 50, Kind: events.Down, Nodes: "n4", Reason: "fire"},
		{At: 60, Kind: events.Update, Setting: "PartitionName=main MaxTime=60"},
		{At: 100, Kind: events.Down, Nodes: "n3", Reason: "fan"},
		{At: 200, Kind: events.Resume, Nodes: "n[3-4]"},
	}
}

// Events before the stop are over. Events at its very instant are not, as its arrivals and cycles are not. The run
// that goes on carries out only the others, at their times, and sends Slurm again what it does not save.
func TestEventsOfAStoppedRun(t *testing.T) {
	for _, auction := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, auction, 0, pastAndFuture()...)
			if auction {
				b.auctions()
			}
			slurm := &updating{Runner: b.driver.Client.Runner}
			b.driver.Client.Runner = slurm
			b.driver.Request.Events, b.driver.Request.StopAt = fourEvents(), 100
			b.driver.Freeze = func(context.Context) error { return nil }
			end := b.driver.Drive(t.Context())
			if end.Position == nil || end.Position.Events != 2 {
				t.Fatalf("end %+v, position %+v, want 2 events over", end, end.Position)
			}
			var from drive.Position
			text, err := json.Marshal(end.Position)
			if err = errors.Join(err, json.Unmarshal(text, &from)); err != nil {
				t.Fatal(err)
			}
			b.driver.Request.StopAt, b.driver.Request.From = 0, &from
			if auction {
				b.auctions()
			}
			if end = b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
				t.Fatalf("end %+v", end)
			}
			told := b.happened()
			if len(told) != 4 {
				t.Fatalf("told %+v", told)
			}
			for i, e := range fourEvents() {
				// The run stops within two seconds.
				if h := told[i]; h.Event != e || h.Time < float64(e.At) || h.Time > float64(e.At)+2 {
					t.Errorf("event %+v happened as %+v", e, h)
				}
			}
			if want := []string{"PartitionName=main MaxTime=60", "PartitionName=main MaxTime=60"}; !slices.Equal(slurm.seen, want) {
				t.Errorf("updates %q, want %q", slurm.seen, want)
			}
		})
	}
}

// What Slurm refuses to be told again ends the run, as an event does that it refuses.
func TestEventRefusedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, pastAndFuture()...)
		slurm := &updating{Runner: b.driver.Client.Runner}
		b.driver.Client.Runner = slurm
		b.driver.Request.Events, b.driver.Request.StopAt = fourEvents(), 100
		b.driver.Freeze = func(context.Context) error { return nil }
		end := b.driver.Drive(t.Context())
		b.driver.Request.StopAt, b.driver.Request.From, slurm.refuse = 0, end.Position, true
		end = b.driver.Drive(t.Context())
		const want = "event at 60 s, before the checkpoint, again: update PartitionName=main MaxTime=60: "
		if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, want) {
			t.Errorf("end %+v, want %q", end, want)
		}
	})
}

// Events after the last end do not happen in a run that would have stopped later, and it does not wait for them.
func TestEventsAfterTheEndOfARunThatWouldStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, workloads.Job{ID: 1, Runtime: 30, Limit: 600, Cores: 16, Class: "a"})
		b.driver.Request.StopAt = 10_000
		b.driver.Request.Events = []events.Event{{At: 5000, Kind: events.Drain, Nodes: "n1", Reason: "never"}}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete || end.Position != nil || len(b.happened()) > 0 {
			t.Errorf("end %+v, told %+v", end, b.happened())
		}
	})
}
