package lab

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
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
	stdin, err := requestInput(emulator.Request{
		Machine: c.Machine, Jobs: c.Jobs, Policy: c.Policy, FullConfiguration: c.FullConfiguration,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = stdin.Close() }()
	events := &eventWriter{config: c}
	if c.Policy.HasAgent() {
		if events.cycles, err = os.Create(dir.CyclesFile()); err != nil {
			return nil, fmt.Errorf("write cycles: %w", err)
		}
	}
	listen, kill := withGrace(ctx)
	defer kill(nil)
	seconds := cmp.Or(c.silence, silenceLimit)
	go func() {
		if silence(listen, &events.signs, seconds) {
			kill(silentError(ctx, cluster.GetContainerID(), seconds))
		}
	}()
	var stderr bytes.Buffer
	events.heard.mark()
	code, err := cluster.Stream(ctx, listen.Done(), stdin, events, &stderr, "slurmlabd", "run")
	if listen.Err() != nil {
		err = context.Cause(listen)
	}
	events.heard.rest()
	events.heard.tell(c.Warn, "nothing was heard of the cluster for %.0f s of real time: its container was stopped, or Docker did not answer")
	err = errors.Join(err, events.close())
	record.Restarts = events.restarts
	if events.end != nil {
		return events.end, err
	}
	text := strings.TrimSpace(stderr.String())
	if err != nil {
		return nil, err
	}
	if err = exceeded(ctx, cluster.GetContainerID()); err != nil {
		return nil, err
	}
	if code == killedCode {
		return nil, fmt.Errorf("slurmlabd was killed (exit code %d) before the run ended%s", code, lastWords(text))
	}
	return nil, fmt.Errorf("slurmlabd ended with exit code %d before the run ended%s", code, lastWords(text))
}

// killedCode is the exit code of a process that died of SIGKILL.
const killedCode = 137

func lastWords(text string) string {
	if text == "" {
		return "; it printed no error"
	}
	return ": " + text
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
	// signs counts what slurmlabd wrote, heard has when it wrote nothing.
	signs atomic.Int64
	heard gaps
}

func (w *eventWriter) Write(p []byte) (int, error) {
	w.signs.Add(1)
	w.heard.mark()
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
