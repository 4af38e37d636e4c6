package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// solveRole is the RoleLabel of a container that solves one program.
const solveRole = "solve"

// Solve solves a program with the solver in the image, in a container of its
// own that lives no longer than that. When ctx ends the container is removed,
// and Solve fails with ErrStopped.
func Solve(ctx context.Context, image string, p program.Program, limit time.Duration) (answer program.Answer, err error) {
	docker, err := slurm.Connect("")
	if err != nil {
		return answer, Docker{}.absent(err)
	}
	defer func() { _ = docker.Close() }()
	created, err := docker.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: &container.Config{
			Image: image, Cmd: []string{"solve", "-", "--time-limit", limit.String()},
			OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
			Labels: map[string]string{slurm.RoleLabel: solveRole},
		},
		HostConfig: &container.HostConfig{NetworkMode: "none"},
	})
	if err != nil {
		return answer, fmt.Errorf("solve: create container: %w", err)
	}
	defer func() { err = errors.Join(err, Remove(ctx, created.ID)) }()
	stdout, stderr, err := pipe(ctx, docker, created.ID, p)
	switch {
	case ctx.Err() != nil:
		return answer, ErrStopped
	case err != nil:
		return answer, fmt.Errorf("solve: %w", err)
	}
	if err = json.Unmarshal(stdout, &answer); err != nil {
		return answer, fmt.Errorf("solve: slurmlabd gave no answer%s", lastWords(strings.TrimSpace(string(stderr))))
	}
	return answer, nil
}

// pipe starts a container, writes the program to its standard input and
// returns what it printed.
func pipe(ctx context.Context, docker *client.Client, id string, p program.Program) (stdout, stderr []byte, err error) {
	conn, err := docker.ContainerAttach(ctx, id, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return nil, nil, fmt.Errorf("attach to container: %w", err)
	}
	defer conn.Close()
	// Reading from the connection does not end with ctx, so ctx closes it.
	stop := context.AfterFunc(ctx, conn.Close)
	defer stop()
	if _, err = docker.ContainerStart(ctx, id, client.ContainerStartOptions{}); err != nil {
		return nil, nil, fmt.Errorf("start container: %w", err)
	}
	written := make(chan error, 1)
	go func() { written <- errors.Join(program.WriteJSON(conn.Conn, p), conn.CloseWrite()) }()
	var out, faults bytes.Buffer
	if _, err = stdcopy.StdCopy(&out, &faults, conn.Reader); err != nil {
		return nil, nil, fmt.Errorf("read answer: %w", err)
	}
	// A solver that ends early closes its input. What it printed tells more than
	// the failed write.
	if writeErr := <-written; writeErr != nil && faults.Len() == 0 {
		return nil, nil, fmt.Errorf("send program: %w", writeErr)
	}
	return out.Bytes(), faults.Bytes(), nil
}
