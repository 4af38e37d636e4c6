package lab

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// answerLimit bounds a short command in a container, in which slurmlabd asks Slurm for
// at most 5 s.
const answerLimit = 20 * time.Second

// Output runs a short command in a running container and returns its standard output.
// A command that fails is an error with what it printed to standard error.
func Output(ctx context.Context, container string, argv ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, fmt.Errorf("no answer within %s", answerLimit))
	defer cancel()
	fail := func(err error) ([]byte, error) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("run %s in container %.12s: %w", argv[0], container, err)
	}
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = docker.Close() }()
	exec, err := docker.ExecCreate(ctx, container, client.ExecCreateOptions{AttachStdout: true, AttachStderr: true, Cmd: argv})
	if err != nil {
		return fail(err)
	}
	conn, err := docker.ExecAttach(ctx, exec.ID, client.ExecAttachOptions{})
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	// A connection knows nothing of ctx.
	stop := context.AfterFunc(ctx, conn.Close)
	defer stop()
	var stdout, stderr bytes.Buffer
	if _, err = stdcopy.StdCopy(&stdout, &stderr, conn.Reader); err != nil {
		return fail(err)
	}
	end, err := docker.ExecInspect(ctx, exec.ID, client.ExecInspectOptions{})
	if err != nil {
		return fail(err)
	}
	if end.ExitCode != 0 {
		return fail(fmt.Errorf("exit code %d: %s", end.ExitCode, bytes.TrimSpace(stderr.Bytes())))
	}
	return stdout.Bytes(), nil
}
