package boot

import (
	"context"
	"os/exec"
	"syscall"
	"testing"
)

// told reports each hold and its end.
type told chan string

func (t told) Hold() { t <- "hold" }
func (t told) Go()   { t <- "go" }

// The clock is held as long as a child is stopped, and when one that is stopped dies
// (issue 16: "any STOP of 5 s" is harmless).
func TestClockIsHeldWhileAChildIsStopped(t *testing.T) {
	var pids []int
	var children []*exec.Cmd
	for range 2 {
		child := exec.Command("sleep", "60")
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = child.Process.Kill()
			_ = child.Wait()
		})
		children, pids = append(children, child), append(pids, child.Process.Pid)
	}
	ctx, end := context.WithCancel(t.Context())
	clock, over := make(told), make(chan bool)
	go func() {
		HoldWhileStopped(ctx, clock, func() []int { return pids })
		close(over)
	}()
	signal := func(child int, s syscall.Signal, want string) {
		t.Helper()
		if err := children[child].Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if got := <-clock; got != want {
			t.Errorf("after %v: %s, want %s", s, got, want)
		}
	}
	signal(0, syscall.SIGSTOP, "hold")
	signal(0, syscall.SIGCONT, "go")
	signal(1, syscall.SIGSTOP, "hold")
	signal(1, syscall.SIGKILL, "go")
	signal(0, syscall.SIGSTOP, "hold")
	end()
	if got := <-clock; got != "go" {
		t.Errorf("at the end: %s, want go", got)
	}
	<-over
}
