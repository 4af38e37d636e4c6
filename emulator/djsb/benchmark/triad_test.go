package benchmark

import (
	"context"
	"errors"
	"testing"
	"time"
)

// STREAM's triad: a = b + q c, of 2 and 1 with q = 3 in each element, and no block twice.
func TestTriad(t *testing.T) {
	x, err := NewTriad(24*3*blockSize, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	for i, v := range x.a {
		if v != 5 {
			t.Fatalf("element %d is %g, want 5", i, v)
		}
	}
	if x.next != 4*3 || x.last != 4*3 {
		t.Errorf("took %d of %d blocks, want 12", x.next, x.last)
	}
}

// Without threads nothing is computed, and with one again all of it.
func TestThreadsThatAreLent(t *testing.T) {
	x, err := NewTriad(24*blockSize, 2)
	if err != nil {
		t.Fatal(err)
	}
	x.SetThreads(0)
	done := make(chan error)
	go func() { done <- x.Run(t.Context(), 3) }()
	select {
	case err = <-done:
		t.Fatalf("it computed without threads: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	x.SetThreads(1)
	if err = <-done; err != nil || x.a[0] != 5 {
		t.Errorf("got %v, first element %g", err, x.a[0])
	}
}

func TestStop(t *testing.T) {
	x, err := NewTriad(24*blockSize, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	told := errors.New("told")
	x.SetThreads(0)
	cancel(told)
	if err := x.Run(ctx, 1); !errors.Is(err, told) {
		t.Errorf("got %v", err)
	}
	if _, err := NewTriad(100, 0); err == nil {
		t.Error("a triad of 100 bytes without threads")
	}
}
