package cli

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A terminal of which a picture had the whole shows its usual screen and cursor after the second signal, and gives lines.
func TestSecondSignalGivesTerminalBack(t *testing.T) {
	if os.Getenv(anew) != "" {
		s := System("test", "test")
		if _, err := term.MakeRaw(0); err != nil {
			t.Fatal(err)
		}
		endItself(t, s)
	}
	shown, terminal := newTerminal(t)
	before, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	cmd := beginAnew(t, "env", "--default-signal=HUP")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	if err = cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit code %d", err, exitInterrupted)
	}
	if after, stateErr := term.GetState(int(terminal.Fd())); stateErr != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the terminal is in state %v, %v, want %v", after, stateErr, before)
	}
	text := make([]byte, 1<<12)
	n, err := shown.Read(text)
	if want := leaveWhole + leaveWhole; err != nil || !strings.HasSuffix(string(text[:n]), want) {
		t.Errorf("the terminal got %q, %v, want %q at the end", text[:n], err, want)
	}
}

// newTerminal is a terminal and what is shown on it.
func newTerminal(t *testing.T) (shown, terminal *os.File) {
	t.Helper()
	shown, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shown.Close() })
	number, err := unix.IoctlGetInt(int(shown.Fd()), unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(int(shown.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return shown, terminal
}
