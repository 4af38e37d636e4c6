package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/djsb/benchmark"
	"github.com/slurmlab/slurmlab/results/djsb"
)

// DJSB boots a cluster, runs a benchmark in it and removes it. emit is told each result as it
// comes.
func DJSB(ctx context.Context, image string, request benchmark.Request, emit func(djsb.Event) error, options ...testcontainers.ContainerCustomizer) (err error) {
	cluster, err := Start(ctx, image, options...)
	if err != nil {
		return err
	}
	defer cluster.Close()
	defer func() { err = errors.Join(err, Remove(ctx, cluster.GetContainerID())) }()
	stdin, err := requestInput(request)
	if err != nil {
		return err
	}
	defer func() { _ = stdin.Close() }()
	listen, kill := withGrace(ctx)
	defer kill(nil)
	var stderr bytes.Buffer
	code, err := cluster.Stream(ctx, listen.Done(), stdin, &djsbWriter{emit: emit}, &stderr, "slurmlabd", "djsb")
	switch {
	case ctx.Err() != nil:
		return stopReason(ctx)
	case err != nil:
		return err
	case code != 0:
		return fmt.Errorf("slurmlabd ended with exit code %d%s", code, lastWords(strings.TrimSpace(stderr.String())))
	}
	return nil
}

// djsbWriter is slurmlabd's standard output, with an event in each line.
type djsbWriter struct {
	emit func(djsb.Event) error
	rest []byte
}

func (w *djsbWriter) Write(p []byte) (int, error) {
	return eachEvent(&w.rest, p, w.emit)
}
