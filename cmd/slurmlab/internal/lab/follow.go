package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/results/trace"
)

// graceLimit is the real time slurmlabd gets to collect after it was told to
// stop; then its cluster is removed anyway. A user waits no longer than 15 s after
// Ctrl-C.
const graceLimit = 8 * time.Second

// follow sends the request and handles events until slurmlabd has ended. A nil
// End comes with an error that says what became of slurmlabd.
func (c Config) follow(ctx context.Context, cluster *slurm.Container, dir trace.Dir) (*emulator.End, error) {
	request, err := json.Marshal(emulator.Request{
		Machine: c.Machine, Jobs: c.Jobs, Policy: c.Policy, FullConfiguration: c.FullConfiguration,
	})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	events := &eventWriter{config: c}
	if c.Policy.HasAgent() {
		file, createErr := os.Create(dir.CyclesFile())
		if createErr != nil {
			return nil, fmt.Errorf("write cycles: %w", createErr)
		}
		defer func() { _ = file.Close() }()
		events.cycles = file
	}
	// Nothing is written after the request: slurmlabd takes the end of its input as
	// the order to stop, and Stream closes that input when ctx ends.
	stdin, feed := io.Pipe()
	defer func() { _ = stdin.Close() }()
	go func() { _, _ = feed.Write(append(request, '\n')) }()

	kill := make(chan struct{})
	followed := make(chan struct{})
	defer close(followed)
	go func() {
		select {
		case <-ctx.Done():
		case <-followed:
			return
		}
		select {
		case <-time.After(graceLimit):
			close(kill)
		case <-followed:
		}
	}()
	var stderr bytes.Buffer
	code, err := cluster.Stream(ctx, kill, stdin, events, &stderr, "slurmlabd", "run")
	if err == nil {
		err = events.close()
	}
	if events.end != nil {
		return events.end, err
	}
	text := strings.TrimSpace(stderr.String())
	switch {
	case err != nil:
		return nil, err
	case code == killedCode:
		return nil, fmt.Errorf("slurmlabd was killed (exit code %d) before the run ended%s", code, lastWords(text))
	default:
		return nil, fmt.Errorf("slurmlabd ended with exit code %d before the run ended%s", code, lastWords(text))
	}
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
	cycles io.Writer // nil for a policy without agent
	rest   []byte
	end    *emulator.End
}

func (w *eventWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		w.rest = rest
		if err := w.handle(line); err != nil {
			return 0, err
		}
	}
}

func (w *eventWriter) handle(line []byte) error {
	var event emulator.Event
	if err := json.Unmarshal(line, &event); err != nil {
		return fmt.Errorf("read event %.80q of slurmlabd: %w", line, err)
	}
	switch {
	case event.Progress != nil:
		w.config.Progress(*event.Progress)
	case event.Cycle != nil && w.cycles != nil:
		return trace.WriteCycle(w.cycles, *event.Cycle)
	case event.End != nil:
		w.end = event.End
	}
	return nil
}

func (w *eventWriter) close() error {
	if len(w.rest) > 0 {
		return fmt.Errorf("slurmlabd's output ends in the middle of an event: %.80q", w.rest)
	}
	return nil
}

// copyLimit bounds the reading of files from the container.
const copyLimit = 20 * time.Second

// copyFiles fetches accounting, logs and, if there are any, the integer
// programs. It also works when the container has died, and after ctx has ended.
func (c Config) copyFiles(ctx context.Context, cluster *slurm.Container, dir trace.Dir) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyLimit)
	defer cancel()
	outErr := cluster.CopyDir(ctx, emulator.OutDir, keepIn(dir.Path()))
	logErr := cluster.CopyDir(ctx, boot.LogDir, keepIn(dir.Logs()))
	return errors.Join(outErr, logErr, c.copyModels(ctx, cluster, dir))
}

// copyModels fetches the integer programs of a run that was asked for them.
func (c Config) copyModels(ctx context.Context, cluster *slurm.Container, dir trace.Dir) error {
	if !c.Policy.Parameters.DumpModels || !c.Policy.HasAgent() {
		return nil
	}
	if err := os.Mkdir(dir.Models(), 0o755); err != nil {
		return fmt.Errorf("copy programs: %w", err)
	}
	return cluster.CopyDir(ctx, emulator.ModelsDir, keepIn(dir.Models()))
}

// keepIn returns a function that stores a file under its base name in dir.
func keepIn(dir string) func(string, io.Reader) error {
	return func(name string, data io.Reader) error {
		return trace.WriteAtomic(filepath.Join(dir, filepath.Base(name)), func(w io.Writer) error {
			buffered := bufio.NewWriter(w)
			if _, err := io.Copy(buffered, data); err != nil {
				return fmt.Errorf("copy %s: %w", name, err)
			}
			return buffered.Flush()
		})
	}
}
