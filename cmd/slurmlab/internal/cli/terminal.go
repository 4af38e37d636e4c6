package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
	"golang.org/x/term"
)

// rawTerminal hands the terminal over to the command in the container, keeps
// its size in step, and returns what gives it back.
func rawTerminal(ctx context.Context, docker *client.Client, execID string, fd int) (restore func(), err error) {
	old, err := term.MakeRaw(fd)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoTerminal, err)
	}
	resize := func() {
		if width, height, sizeErr := term.GetSize(fd); sizeErr == nil {
			// A command that has just ended has no size.
			_, _ = docker.ExecResize(ctx, execID, client.ExecResizeOptions{Width: uint(width), Height: uint(height)})
		}
	}
	resize()
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for range changed {
			resize()
		}
	}()
	return func() {
		signal.Stop(changed)
		close(changed)
		_ = term.Restore(fd, old)
	}, nil
}

// copyOutput passes the command's output on: one stream from a terminal, two
// multiplexed ones otherwise.
func copyOutput(s *State, from io.Reader, tty bool) error {
	var err error
	if tty {
		_, err = io.Copy(unfiltered(s.Stdout), from)
	} else {
		_, err = stdcopy.StdCopy(unfiltered(s.Stdout), unfiltered(s.Stderr), from)
	}
	return err
}
