package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/progress"
	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/results/trace"
)

// graceLimit is the real time slurmlabd gets to collect after it was told to
// stop; then its cluster is removed anyway. A user waits no longer than 15 s after
// Ctrl-C.
const graceLimit = 8 * time.Second

// follow sends the request and handles events until slurmlabd has ended. A nil
// End comes with an error that says what became of slurmlabd.
//
// The restarts of daemons are left in the record.
func (c Config) follow(ctx context.Context, cluster *slurm.Container, dir trace.Dir, record *trace.Run) (*emulator.End, error) {
	events := &eventWriter{config: c}
	if c.Policy.HasAgent() {
		var err error
		if events.cycles, err = os.Create(dir.CyclesFile()); err != nil {
			return nil, fmt.Errorf("write cycles: %w", err)
		}
	}
	request := emulator.Request{Machine: c.Machine, Jobs: c.Jobs, Policy: c.Policy, FullConfiguration: c.FullConfiguration}
	ended, err := talk{command: "run", request: request, out: events, silence: c.silence, warn: c.Warn}.on(ctx, cluster)
	err = errors.Join(err, events.close())
	record.Restarts = events.restarts
	if events.end != nil || err != nil {
		return events.end, err
	}
	return nil, ended.before(ctx, "the run")
}

// eventWriter is slurmlabd's standard output: it cuts it into lines and acts on
// each event. A fault of the cycles file ends the run.
type eventWriter struct {
	config Config
	// cycles is cycles.jsonl, nil for a policy without agent; written counts its lines.
	cycles  *os.File
	written int
	rest    []byte
	end     *emulator.End
	// restarts are those of daemons so far.
	restarts []trace.Restart
}

func (w *eventWriter) Write(p []byte) (int, error) {
	return eachEvent(&w.rest, p, w.handle)
}

func (w *eventWriter) handle(event emulator.Event) error {
	switch {
	case event.Progress != nil:
		w.config.Report(progress.Update{Stage: progress.Running, Counts: *event.Progress})
	case event.Restart != nil:
		w.restarts = append(w.restarts, *event.Restart)
		w.config.Warn(event.Restart.Text())
	case event.Warning != "":
		w.config.Warn(event.Warning)
	case event.Cycle != nil && w.cycles != nil:
		w.written++
		return trace.WriteCycle(w.cycles, *event.Cycle)
	case event.End != nil:
		w.end = event.End
	}
	return nil
}

// close brings cycles.jsonl to the disk and says what is wrong with the output as a
// whole.
func (w *eventWriter) close() error {
	var faults []error
	if w.cycles != nil {
		if err := errors.Join(w.cycles.Sync(), w.cycles.Close()); err != nil {
			faults = append(faults, fmt.Errorf("write cycles: %w", err))
		}
	}
	if len(w.rest) > 0 {
		faults = append(faults, fmt.Errorf("slurmlabd's output ends in the middle of an event: %.80q", w.rest))
	}
	if w.end != nil && w.end.Cycles != w.written {
		faults = append(faults, fmt.Errorf("cycles.jsonl has %d cycles, the run had %d", w.written, w.end.Cycles))
	}
	return errors.Join(faults...)
}
