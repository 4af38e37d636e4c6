package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/run"
)

// A closed terminal and a closed pipe end a command as Ctrl-C does, and are told apart
// in the reason.
func TestWhatEndsACommand(t *testing.T) {
	if begunAnew(t, "env", "--default-signal=HUP") {
		return
	}
	closedPipe := func(write func(*State)) func(t *testing.T) {
		return func(t *testing.T) {
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if err = reader.Close(); err != nil {
				t.Fatal(err)
			}
			defer func(out, complaints *os.File) { os.Stdout, os.Stderr = out, complaints }(os.Stdout, os.Stderr)
			os.Stdout, os.Stderr = writer, writer
			s := System("test", "test")
			write(s)
			ended(t, s, errUnread)
		}
	}
	t.Run("closed pipe of results", closedPipe(func(s *State) { _, _ = s.Stdout.Write([]byte("text\n")) }))
	t.Run("closed pipe of messages", closedPipe(func(s *State) { _, _ = s.Stderr.Write([]byte("text\n")) }))
	for number, cause := range map[syscall.Signal]error{
		syscall.SIGHUP: errHangup, syscall.SIGTERM: run.ErrStopped, syscall.SIGINT: run.ErrStopped,
	} {
		t.Run(number.String(), func(t *testing.T) {
			s := System("test", "test")
			if err := syscall.Kill(os.Getpid(), number); err != nil {
				t.Fatal(err)
			}
			<-s.Context.Done()
			ended(t, s, cause)
		})
	}
}

func ended(t *testing.T, s *State, cause error) {
	t.Helper()
	defer s.Stop()
	if got := context.Cause(s.Context); !errors.Is(got, cause) || !errors.Is(got, run.ErrStopped) {
		t.Errorf("the context ended with %v, want %v", got, cause)
	}
}

// Under nohup a command survives its terminal.
func TestNohup(t *testing.T) {
	if begunAnew(t, "nohup") {
		return
	}
	s := System("test", "test")
	defer s.Stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if !signal.Ignored(syscall.SIGHUP) || s.Context.Err() != nil {
		t.Errorf("SIGHUP ended the command: %v", context.Cause(s.Context))
	}
}

// begunAnew runs the test that calls it in a process of its own, below the command, and
// says whether that was done; in that process it was. A process cannot take back that it
// ignores a signal, its commands inherit it, and the tests may run under nohup.
func begunAnew(t *testing.T, command ...string) bool {
	t.Helper()
	const inside = "SLURMLAB_TEST_BEGUN_ANEW"
	if os.Getenv(inside) != "" {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], self, "-test.run", "^"+t.Name()+"$")...)
	cmd.Env = append(os.Environ(), inside+"=yes")
	if out, runErr := cmd.CombinedOutput(); runErr != nil {
		t.Errorf("%v\n%s", runErr, out)
	}
	return true
}
