package solver

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// A worker ends on a signal even while its input is open, and its caller learns of the loss ("a worker killed ends
// complete and says so", issue 16, invariant 10).
func TestServeEndsWhenToldTo(t *testing.T) {
	told := errors.New("told to end")
	ctx, end := context.WithCancelCause(t.Context())
	in, open := io.Pipe()
	defer func() { _ = open.Close() }()
	served := make(chan error, 1)
	go func() { served <- serve(ctx, in, io.Discard, pretender("good")) }()
	end(told)
	if err := hosttest.Receive(t, "the end of the worker", served); !errors.Is(err, told) {
		t.Errorf("got %v, want %v", err, told)
	}
}
