package lab

import (
	"context"
	"errors"
	"strings"

	"github.com/moby/moby/client"
)

// exceeded says which limit of its container a cluster came up against, nil if it is not
// known that it did. It is asked when slurmlabd, which says so itself, is gone.
func exceeded(ctx context.Context, id string) error {
	ctx = context.WithoutCancel(ctx)
	found, err := ask(ctx, func(ctx context.Context, docker *client.Client) (client.ContainerInspectResult, error) {
		return docker.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	})
	switch {
	case err != nil || found.Container.State == nil:
		return nil
	case found.Container.State.OOMKilled:
		return errors.New("out of memory: the kernel killed the cluster's container at its limit; --memory gives it more")
	}
	text, err := Output(ctx, id, "slurmlabd", "limits")
	if err != nil || len(text) == 0 {
		return nil
	}
	return errors.New(strings.TrimSpace(string(text)))
}
