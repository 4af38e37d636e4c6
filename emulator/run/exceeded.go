package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

const (
	// endLimit is the real time after the end of slurmlabd in which the engine notices that
	// the whole container has ended, which takes it seconds on a busy machine, endPoll the pause between two looks.
	endLimit = 10 * time.Second
	endPoll  = 100 * time.Millisecond
)

// exceeded says which limit of its container a cluster came up against, or that the
// container has ended, nil if neither is known. It is asked when slurmlabd, which says so
// itself, is gone.
func exceeded(ctx context.Context, cluster Cluster) error {
	ctx = context.WithoutCancel(ctx)
	found, err := cluster.State(ctx)
	for until := time.Now().Add(endLimit); err == nil && found.Running && time.Now().Before(until); {
		time.Sleep(endPoll)
		found, err = cluster.State(ctx)
	}
	switch {
	case err != nil:
		return nil
	case found.OutOfMemory:
		return errors.New("out of memory: the kernel killed the cluster's container at its limit; --memory gives it more")
	case !found.Running:
		return fmt.Errorf("the cluster's container, and slurmlabd with it, ended before the run did, with exit code %d%s", found.ExitCode, signalled(found.ExitCode))
	}
	text, err := output(ctx, cluster, "slurmlabd", "limits")
	if err != nil || len(text) == 0 {
		return nil
	}
	return errors.New(strings.TrimSpace(string(text)))
}

// signalled is the end of a message about an exit code that a signal made (128 and the
// signal's number, see bash(1)).
func signalled(code int) string {
	if code <= 128 {
		return ""
	}
	return fmt.Sprintf(" (%v)", syscall.Signal(code-128))
}
