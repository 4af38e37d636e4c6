package slurm

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// ExitError is a command that ended with a code other than 0.
type ExitError struct {
	Argv   []string
	Code   int
	Stderr string
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("%s: exit code %d: %s", strings.Join(e.Argv, " "), e.Code, strings.TrimSpace(e.Stderr))
}

// Remote is the container of a cluster, started by this process or by another one.
type Remote struct {
	docker *client.Client
	id     string

	// mu guards commands, nil until Run is called.
	mu       sync.Mutex
	commands *commands
}

// Connect returns a client of the Docker engine at the address host, as DOCKER_HOST has it; empty for the engine of
// the environment. The client must be closed. The environment's certificates hold in any case.
func Connect(host string) (*client.Client, error) {
	if host == "" {
		return client.New(client.FromEnv)
	}
	return client.New(client.FromEnv, client.WithHost(host))
}

// OpenOn returns the container of that id on the engine at host, see Connect, whether it is there or not. It must be
// closed.
func OpenOn(host, id string) (*Remote, error) {
	docker, err := Connect(host)
	if err != nil {
		return nil, fmt.Errorf("connect to Docker: %w", err)
	}
	return &Remote{docker: docker, id: id}, nil
}

// ID returns the container's id.
func (c *Remote) ID() string { return c.id }

// Close ends the connection to the engine.
func (c *Remote) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.commands != nil {
		c.commands.close()
	}
	_ = c.docker.Close()
}

// Stream runs a command in the container and copies its output as it comes. stdin may be nil; when it ends, or when
// ctx ends, the command's standard input is closed. Stream returns the command's exit code. It waits for the command
// even when ctx ends, as a stopped command may still have results to hand over. kill ends that wait, and any other
// for the engine, at once.
func (c *Remote) Stream(ctx context.Context, kill <-chan struct{}, stdin io.Reader, stdout, stderr io.Writer, argv ...string) (int, error) {
	// The connection must outlive ctx, see above.
	dockerCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-kill:
			cancel()
		case <-dockerCtx.Done():
		}
	}()
	exec, err := c.docker.ExecCreate(dockerCtx, c.id, client.ExecCreateOptions{
		AttachStdin: true, AttachStdout: true, AttachStderr: true, Cmd: argv,
	})
	if err != nil {
		return 0, fmt.Errorf("run %s: Docker: %w", argv[0], err)
	}
	conn, err := c.docker.ExecAttach(dockerCtx, exec.ID, client.ExecAttachOptions{})
	if err != nil {
		return 0, fmt.Errorf("run %s: Docker: %w", argv[0], err)
	}
	defer conn.Close()
	fed := make(chan struct{}, 1)
	go func() {
		if stdin != nil {
			_, _ = io.Copy(conn.Conn, stdin)
		}
		fed <- struct{}{}
	}()
	done := make(chan error, 1)
	go func() {
		_, copyErr := stdcopy.StdCopy(stdout, stderr, conn.Reader)
		done <- copyErr
	}()
	interrupted := ctx.Done()
	for {
		select {
		case <-fed:
			// How the copy ended does not matter: there is no more input.
			fed = nil
			// A command that has ended already closes the connection first.
			_ = conn.CloseWrite()
		case <-interrupted:
			interrupted = nil
			_ = conn.CloseWrite()
		case <-kill:
			return 0, fmt.Errorf("run %s: %w", argv[0], context.Canceled)
		case copyErr := <-done:
			if copyErr != nil {
				return 0, fmt.Errorf("run %s: read output: %w", argv[0], copyErr)
			}
			end, inspectErr := c.docker.ExecInspect(dockerCtx, exec.ID, client.ExecInspectOptions{})
			if inspectErr != nil {
				return 0, fmt.Errorf("run %s: Docker: %w", argv[0], inspectErr)
			}
			return end.ExitCode, nil
		}
	}
}

// Run runs a client command on the cluster's clock and returns what it printed. A non-zero exit code is an *ExitError.
// If ctx ends first, the command is killed. It satisfies slurmctl.Runner.
func (c *Remote) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	c.mu.Lock()
	if c.commands == nil || c.commands.over() {
		c.commands = startCommands(func(stdin io.Reader, stdout io.Writer) error {
			var stderr bytes.Buffer
			program := []string{"slurmlabd", "commands"}
			code, err := c.Stream(context.Background(), nil, stdin, stdout, &stderr, program...)
			if err == nil && code != 0 {
				err = &ExitError{Argv: program, Code: code, Stderr: stderr.String()}
			}
			return err
		})
	}
	running := c.commands
	c.mu.Unlock()
	answer, err := running.run(ctx, stdin, argv)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], err)
	}
	if answer.Code != 0 {
		return answer.Stdout, &ExitError{Argv: argv, Code: answer.Code, Stderr: string(answer.Stderr)}
	}
	return answer.Stdout, nil
}

// CopyDir reads all regular files below dir in the container and hands each to keep
// under its path relative to dir. It works on a stopped container too, but not for
// directories in memory. A directory that is not there is fs.ErrNotExist.
func (c *Remote) CopyDir(ctx context.Context, dir string, keep func(name string, data io.Reader) error) error {
	archive, err := c.docker.CopyFromContainer(ctx, c.id, client.CopyFromContainerOptions{SourcePath: dir})
	if err != nil && strings.Contains(err.Error(), "Could not find the file") {
		// A container that is gone has the same status code.
		err = fs.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("copy %s: Docker: %w", dir, err)
	}
	defer func() { _ = archive.Content.Close() }()
	files := tar.NewReader(archive.Content)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", dir, err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		// The archive's names begin with the last element of dir.
		name := strings.TrimPrefix(header.Name, path.Base(dir)+"/")
		if err := keep(name, files); err != nil {
			return fmt.Errorf("copy %s: %w", header.Name, err)
		}
	}
}
