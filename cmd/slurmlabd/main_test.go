package main

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// "The reason names the cause" (issue 16, invariant 7): a run whose slurmlabd gets SIGTERM
// says so.
func TestToldToEnd(t *testing.T) {
	told := make(chan os.Signal, 1)
	ctx := untilTold(t.Context(), told)
	if ctx.Err() != nil {
		t.Fatal(ctx.Err())
	}
	told <- syscall.SIGTERM
	<-ctx.Done()
	if got, want := context.Cause(ctx).Error(), "slurmlabd was told to end: terminated"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
