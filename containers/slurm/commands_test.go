package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// served is the program of a container, in this process.
func served(t *testing.T) *commands {
	s := startCommands(func(stdin io.Reader, stdout io.Writer) error {
		return ServeCommands(context.Background(), stdin, stdout, append(os.Environ(), "ON=cluster"))
	})
	t.Cleanup(func() {
		s.close()
		<-s.ended
	})
	return s
}

func TestCommands(t *testing.T) {
	s := served(t)
	for _, tt := range []struct {
		stdin  string
		argv   []string
		want   string
		stderr string
		code   int
	}{
		{"", []string{"sh", "-c", "echo $ON; echo no >&2; exit 3"}, "cluster\n", "no\n", 3},
		{"a\xffb\n", []string{"cat", "-", "/dev/null"}, "a\xffb\n", "", 0},
		{"", []string{"printf", "%s", "a\xffb"}, "a\xffb", "", 0},
		{"", []string{"no-such-program"}, "", "not found", 127},
		{"", []string{"sh", "-c", "kill -9 $$"}, "", "", 128 + 9},
	} {
		got, err := s.run(t.Context(), []byte(tt.stdin), tt.argv)
		if err != nil || got.Code != tt.code || !strings.Contains(string(got.Stderr), tt.stderr) || string(got.Stdout) != tt.want {
			t.Errorf("%q: got %q, %q and %d (%v), want %q, %q and %d", tt.argv, got.Stdout, got.Stderr, got.Code, err, tt.want, tt.stderr, tt.code)
		}
	}
}

// A process that a command leaves behind holds its output open. The command is answered all the same, and the process
// lives on.
func TestCommandLeavesAProcess(t *testing.T) {
	s := served(t)
	left, err := s.run(t.Context(), nil, []string{"sh", "-c", "sleep 600 & echo $!"})
	if err != nil || left.Code != 0 {
		t.Fatalf("code %d, %v", left.Code, err)
	}
	if got, err := s.run(t.Context(), nil, []string{"kill", strings.TrimSpace(string(left.Stdout))}); err != nil || got.Code != 0 {
		t.Errorf("kill: code %d, %q, %v", got.Code, got.Stderr, err)
	}
}

// Commands run beside each other, and each has its own answer.
func TestCommandsBesideEachOther(t *testing.T) {
	s := served(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if _, err := s.run(t.Context(), nil, []string{"mkfifo", pipe}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		// It ends only when another command writes.
		if got, err := s.run(t.Context(), nil, []string{"cat", pipe}); err != nil || string(got.Stdout) != "written\n" {
			t.Errorf("%q, %v", got.Stdout, err)
		}
	})
	for i := range 20 {
		all.Go(func() {
			if got, err := s.run(t.Context(), nil, []string{"echo", fmt.Sprint(i)}); err != nil || string(got.Stdout) != fmt.Sprintln(i) {
				t.Errorf("%d: %q, %v", i, got.Stdout, err)
			}
		})
	}
	all.Go(func() {
		if _, err := s.run(t.Context(), nil, []string{"sh", "-c", "echo written >" + pipe}); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
}

// A command whose caller gives up is killed, with what it started; the program goes on.
func TestKilledCommand(t *testing.T) {
	s := served(t)
	pids := filepath.Join(t.TempDir(), "pids")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.run(ctx, nil, []string{"sh", "-c", "sleep 600 & echo $$ $! >" + pids + "; wait"})
		ended <- err
	}()
	var both string
	hosttest.Until(t, "the command runs", func() bool {
		text, err := os.ReadFile(pids)
		both = strings.TrimSpace(string(text))
		return err == nil && strings.Contains(both, " ")
	})
	stop()
	if err := hosttest.Receive(t, "the end of run", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	hosttest.Until(t, "the command has been killed", func() bool {
		got, err := s.run(t.Context(), nil, []string{"sh", "-c", "kill -0 " + both})
		return err == nil && got.Code != 0
	})
}

// When the program ends, run returns its error, both to callers that wait and to later ones.
func TestCommandsEnd(t *testing.T) {
	broke := errors.New("container is gone")
	s := startCommands(func(stdin io.Reader, _ io.Writer) error {
		_, err := stdin.Read(make([]byte, 1))
		return errors.Join(err, broke)
	})
	for range 2 {
		if _, err := s.run(t.Context(), nil, []string{"true"}); !errors.Is(err, broke) {
			t.Errorf("error %v, want %v", err, broke)
		}
	}
	<-s.ended
	if !s.over() {
		t.Error("the program is not over")
	}
}
