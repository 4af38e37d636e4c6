package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"
)

const (
	// endLimit is the real time after the end of slurmlabd in which the engine notices that
	// the whole container has ended, endPoll the pause between two looks.
	endLimit = time.Second
	endPoll  = 100 * time.Millisecond
)

// exceeded says which limit of its container a cluster came up against, or that the
// container has ended, nil if neither is known. It is asked when slurmlabd, which says so
// itself, is gone.
func exceeded(ctx context.Context, id string) error {
	ctx = context.WithoutCancel(ctx)
	look := func() (client.ContainerInspectResult, error) {
		return ask(ctx, func(ctx context.Context, docker *client.Client) (client.ContainerInspectResult, error) {
			return docker.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		})
	}
	found, err := look()
	for until := time.Now().Add(endLimit); err == nil && found.Container.State != nil && found.Container.State.Running && time.Now().Before(until); {
		time.Sleep(endPoll)
		found, err = look()
	}
	switch {
	case err != nil || found.Container.State == nil:
		return nil
	case found.Container.State.OOMKilled:
		return errors.New("out of memory: the kernel killed the cluster's container at its limit; --memory gives it more")
	case !found.Container.State.Running:
		return fmt.Errorf("the cluster's container, and slurmlabd with it, ended before the run did, with exit code %d%s", found.Container.State.ExitCode, signalled(found.Container.State.ExitCode))
	}
	text, err := Output(ctx, id, "slurmlabd", "limits")
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
