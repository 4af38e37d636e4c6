package slurm

import (
	"context"
	"fmt"
	"io"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// LeaseLine is what "slurmlabd boot --leased" reads once its cluster has been started.
const LeaseLine = "\n"

// lease ties a cluster to this process. "slurmlabd boot --leased" ends the cluster when its standard input ends. The
// engine ends that input when the connection that lease holds breaks, however this process dies. No engine promises so of an
// input that closed before the container had opened it, as when a slurmlab is killed while it starts one. So this process
// writes a line once the container has started, and without it the cluster ends by itself after a minute. Later no clock is
// involved: a process that is only stopped for a while keeps its cluster.
type lease struct {
	docker *client.Client
	// conn is nil before the container was created.
	conn *client.HijackedResponse
}

// Customize implements testcontainers.ContainerCustomizer. The lease begins before
// the container is started, so that no instant is left in which nobody holds it.
func (l *lease) Customize(request *testcontainers.GenericContainerRequest) error {
	input := testcontainers.WithConfigModifier(func(c *container.Config) {
		// StdinOnce: the input ends with the first connection to it.
		c.AttachStdin, c.OpenStdin, c.StdinOnce = true, true, true
	})
	if err := input.Customize(request); err != nil {
		return err
	}
	return testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
		PostCreates: []testcontainers.ContainerHook{l.take},
		PostStarts:  []testcontainers.ContainerHook{l.confirm},
	}).Customize(request)
}

func (l *lease) take(ctx context.Context, created testcontainers.Container) error {
	// A lease outlives the context of the start.
	attached, err := l.docker.ContainerAttach(context.WithoutCancel(ctx), created.GetContainerID(),
		client.ContainerAttachOptions{Stream: true, Stdin: true})
	if err != nil {
		return fmt.Errorf("lease cluster: %w", err)
	}
	l.conn = &attached.HijackedResponse
	return nil
}

func (l *lease) confirm(context.Context, testcontainers.Container) error {
	if _, err := io.WriteString(l.conn.Conn, LeaseLine); err != nil {
		return fmt.Errorf("lease cluster: %w", err)
	}
	return nil
}

func (l *lease) end() {
	if l.conn != nil {
		l.conn.Close()
	}
}
