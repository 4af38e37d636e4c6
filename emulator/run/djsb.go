package run

import (
	"context"
	"errors"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/results/djsb"
)

// Benchmark is a dynamic job scheduling benchmark in one cluster.
type Benchmark struct {
	Image   string
	Request benchmark.Request
	// Emit is called with each result as it comes; an error of it ends the benchmark.
	Emit func(djsb.Event) error
	// Warn is called with a sentence on each thing that went wrong beside the benchmark.
	Warn func(string)
	// silence is how many seconds without a word end it, 0 for silenceLimit.
	silence int
}

// Run boots a cluster, runs the benchmark in it and removes it.
func (b Benchmark) Run(ctx context.Context, options ...slurm.Option) (err error) {
	cluster, err := Docker{}.Start(ctx, b.Image, options...)
	if err != nil {
		return err
	}
	defer cluster.Close()
	defer func() { err = errors.Join(err, cluster.Remove(ctx)) }()
	ended, err := talk{command: "djsb", request: b.Request, out: &djsbWriter{emit: b.Emit, warn: b.Warn}, silence: b.silence, warn: b.Warn}.on(ctx, cluster)
	switch {
	case ctx.Err() != nil:
		return stopReason(ctx)
	case err != nil:
		return err
	case ended.code != 0:
		return ended.before(ctx, "the benchmark")
	}
	return nil
}

// djsbWriter is slurmlabd's standard output, with an event in each line.
type djsbWriter struct {
	emit func(djsb.Event) error
	warn func(string)
	rest []byte
}

func (w *djsbWriter) Write(p []byte) (int, error) {
	return eachEvent(&w.rest, p, func(e benchmark.Line) error {
		if e.Alive {
			return nil
		}
		if e.Warning != "" {
			w.warn(e.Warning)
			return nil
		}
		return w.emit(e.Event)
	})
}
