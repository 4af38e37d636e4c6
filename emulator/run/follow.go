package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/results/trace"
)

// graceLimit is the real time slurmlabd gets to collect its results after a stop; then its cluster is removed anyway.
// A user waits no longer than 15 s after Ctrl-C.
const graceLimit = 8 * time.Second

// follow sends the request and handles events until slurmlabd has ended. A nil
// End comes with an error that says what became of slurmlabd.
//
// The restarts of daemons are left in the record.
func (c Config) follow(ctx context.Context, cluster Cluster, dir trace.Dir, record *trace.Run) (*drive.End, error) {
	events := &eventWriter{config: c, lookers: dir.ProgressFile()}
	if c.Policy.HasAgent() {
		// The file already has the cycles of the run before a checkpoint.
		var err error
		if events.cycles, err = os.OpenFile(dir.CyclesFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
			return nil, fmt.Errorf("write cycles: %w", err)
		}
	}
	request := c.request()
	if c.From != nil {
		events.written, events.happened = c.From.Position.Cycles, slices.Clone(c.From.Happened)
	}
	begin := func(say func(any) error) (err error) {
		if c.Policy.Parameters.ProgramOnHost {
			events.program, err = newHosted(c.Policy, dir, say)
		}
		return err
	}
	ended, err := talk{command: "run", request: request, begin: begin, out: events, silence: c.silence, warn: c.Warn}.on(ctx, cluster)
	err = errors.Join(err, events.close())
	record.Restarts, record.Happened = events.restarts, events.happened
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
	// lookers is where starts and ends are left for those who look at the run, empty once
	// they could not be; progress is that file once it is open.
	lookers  string
	progress *os.File
	// program of a policy "host:FILE", nil under another one.
	program *hosted
	end     *drive.End
	// restarts are those of daemons so far.
	restarts []trace.Restart
	// happened are the events so far, including the ones before a checkpoint.
	happened []trace.Happened
}

func (w *eventWriter) Write(p []byte) (int, error) {
	return eachEvent(&w.rest, p, w.handle)
}

func (w *eventWriter) handle(event drive.Event) error {
	switch {
	case event.Progress != nil:
		w.config.Report(progress.Update{Stage: progress.Running, Counts: *event.Progress})
	case event.Heard != nil:
		w.leave(*event.Heard)
	case event.Restart != nil:
		w.restarts = append(w.restarts, *event.Restart)
		w.config.Warn(event.Restart.Text())
	case event.Happened != nil:
		w.happened = append(w.happened, *event.Happened)
	case event.Warning != "":
		w.config.Warn(event.Warning)
	case event.Cycle != nil && w.cycles != nil:
		w.written++
		return trace.WriteCycle(w.cycles, *event.Cycle)
	case event.Call != nil && w.program != nil:
		w.program.server.Do(*event.Call)
	case event.End != nil:
		w.end = event.End
	}
	return nil
}

// leave appends to progress.jsonl. Nothing of the run depends on that file, so its fault is reported once and ends
// nothing.
func (w *eventWriter) leave(news trace.Progress) {
	if w.lookers == "" {
		return
	}
	var err error
	if w.progress == nil {
		w.progress, err = os.Create(w.lookers)
	}
	if err == nil {
		err = trace.WriteProgress(w.progress, news)
	}
	if err != nil {
		w.lookers = ""
		w.config.Warn(fmt.Sprintf("Until its end the run cannot be watched with \"slurmlab serve\": %v.", err))
	}
}

// close brings cycles.jsonl to the disk and says what is wrong with the output as a
// whole.
func (w *eventWriter) close() error {
	if w.program != nil {
		w.program.Close()
	}
	if w.progress != nil {
		// What could not be written was reported.
		_ = w.progress.Close()
	}
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
