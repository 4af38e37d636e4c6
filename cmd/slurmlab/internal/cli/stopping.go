package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slurmlab/slurmlab/emulator/run"
)

// careful are the commands that clean up after an interrupt: they have started something, or put a directory together.
// All others read, compute and write.
func careful() []string {
	return []string{
		"archive", "campaign run", "campaign work", "compare", "dev solve", "djsb run", "doctor", "down", "image load", "image unpack",
		"paper aucsched", "paper aucsched2", "paper ipsched", "plugin check", "run", "serve", "shell", "status", "top", "up",
	}
}

// aRest is what a command that has nothing to clean up gets after an interrupt, to end by itself: it may be about to
// rename a file that it has written.
const aRest = time.Second

// execute runs the command that args name. One that only computes does not outlast an interrupt, wherever it is.
func execute(s *State, cmd *cobra.Command, args []string) error {
	called, _, err := cmd.Find(args)
	if err != nil || slices.Contains(careful(), strings.TrimPrefix(called.CommandPath(), cmd.Name()+" ")) {
		return cmd.ExecuteContext(s.Context)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(s.Context) }()
	select {
	case err = <-done:
		return err
	case <-s.Context.Done():
	}
	select {
	case err = <-done:
		return err
	case <-time.After(aRest):
		return context.Cause(s.Context)
	}
}

// oneCause is how long after a first signal another one still has the same cause. The terminal sends SIGINT to the whole
// group, and a program that started slurmlab may hand the same on; timeout(1) sends SIGTERM to slurmlab and to its group.
const oneCause = 250 * time.Millisecond

// stopper calls stop when a signal or interrupt asks this process to end, and end when a second one does.
type stopper struct {
	stop func(cause error)
	end  func()
	// signals are those that were not looked at yet; over is closed when nobody looks any more.
	signals chan os.Signal
	over    chan struct{}
}

// onSignal is a stopper that listens until ignore is called.
func onSignal(stop func(cause error), end func()) (interrupt, ignore func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	// nohup(1) lets its command ignore SIGHUP, and Notify would undo that.
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	w := stopper{stop: stop, end: end, signals: make(chan os.Signal, len(ends)), over: make(chan struct{})}
	signal.Notify(w.signals, ends...)
	go w.wait()
	// Without a listener SIGPIPE would kill this process, see package os/signal. A signal that is ignored would also
	// be ignored in other programs that it starts.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return w.interrupt, func() {
		signal.Stop(w.signals)
		signal.Stop(pipes)
		close(w.over)
	}
}

// wait waits for signals. A SIGHUP is neither a first one nor a second: when a terminal is closed, its shell and the kernel
// may both send one, and who ends the session sends a SIGTERM after it.
func (w stopper) wait() {
	var first time.Time
	for {
		select {
		case <-w.over:
			return
		case s := <-w.signals:
			switch {
			case s == syscall.SIGHUP:
				w.stop(errHangup)
			case first.IsZero():
				first = time.Now()
				w.stop(run.ErrStopped)
			case time.Since(first) >= oneCause:
				w.end()
			}
		}
	}
}

// interrupt does what SIGINT does.
func (w stopper) interrupt() {
	select {
	case w.signals <- os.Interrupt:
	default:
		// Enough are waiting.
	}
}

// leaveWhole is what a terminal gets when a picture has the whole of it: the usual screen (xterm's mode 1047, which moves
// no cursor where that is shown already) and its cursor are back.
const leaveWhole = "\x1b[?1047l\x1b[?25h"

// endAtOnce returns what ends this process without cleaning up, but for the terminal, which is as it was at first. out are
// the files that may be that terminal.
func endAtOnce(out ...*os.File) func() {
	terminal := int(os.Stdin.Fd())
	// Without a terminal there is nothing to give back.
	before, _ := term.GetState(terminal)
	return func() {
		if before != nil {
			_ = term.Restore(terminal, before)
			showUsual(out...)
		}
		// The goroutine of main may be waiting for what never comes.
		os.Exit(exitInterrupted)
	}
}

// showUsual tells those files that are terminals leaveWhole. A terminal that takes nothing any more does not hold it up.
func showUsual(files ...*os.File) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, f := range files {
			if term.IsTerminal(int(f.Fd())) {
				_, _ = f.WriteString(leaveWhole)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(oneCause):
	}
}
