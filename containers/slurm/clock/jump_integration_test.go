//go:build integration

package clock

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// inside is set in the test program that has a process namespace of its own.
const inside = "SLURMLAB_CLOCK_INSIDE"

// The real vclockd and this package make a clock. They get a core and a process
// namespace of their own, as in a cluster's container: vclockd takes every
// process that it sees for a part of the cluster.
func TestRealController(t *testing.T) {
	if os.Getenv(inside) != "" {
		testRealController(t)
		return
	}
	dir := t.TempDir()
	sources, err := filepath.Glob("../vclock/daemon/*.c")
	if err != nil {
		t.Fatal(err)
	}
	compile := exec.Command(hosttest.Program(t, "cc"), append([]string{"-std=gnu17", "-O2", "-pthread",
		"-o", filepath.Join(dir, controller)}, append(sources, "-lm")...)...)
	if out, compileErr := compile.CombinedOutput(); compileErr != nil {
		t.Fatalf("compile %s: %v\n%s", controller, compileErr, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*hosttest.Hang)
	defer cancel()
	cmd := exec.CommandContext(ctx, hosttest.Program(t, "unshare"), "--user", "--map-root-user", "--pid", "--mount-proc", "--fork", "--kill-child",
		hosttest.Program(t, "taskset"), "--cpu-list", "0", self, "-test.run=^TestRealController$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1", "PATH="+dir+":"+os.Getenv("PATH"), "VCLOCK_PAGE=")
	if out, runErr := cmd.CombinedOutput(); runErr != nil {
		t.Fatalf("%v\n%s", runErr, out)
	} else if testing.Verbose() {
		t.Logf("%s", out)
	}
}

func testRealController(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, _, err := startJump(ctx, Settings{Kind: KindJump}, filepath.Join(t.TempDir(), "vclock"))
	if err != nil {
		t.Fatal(err)
	}
	if sleepErr := c.Sleep(ctx, 50*time.Millisecond); sleepErr != nil || c.Stats().Jumps != 0 {
		t.Fatalf("under Hold there were %d jumps, %v", c.Stats().Jumps, sleepErr)
	}
	c.Go()
	t.Run("idle", func(t *testing.T) { testIdle(t, c) })

	// From here on somebody always waits for a deadline half a minute ahead, so that ten minutes are 20 jumps. Where other
	// programs keep the core busy, each takes tenths of a second.
	group, tickCtx := errgroup.WithContext(ctx)
	tick, stop := context.WithCancel(tickCtx)
	group.Go(func() error {
		for tick.Err() == nil {
			_ = c.Sleep(tick, 30*time.Second)
		}
		return nil
	})
	t.Run("computing", func(t *testing.T) {
		testNoJump(t, c, func() {
			for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
				runtime.Gosched()
			}
		})
	})
	t.Run("talking", func(t *testing.T) { testTalking(t, c) })
	t.Run("takeover", func(t *testing.T) {
		if killErr := syscall.Kill(int(c.shared.controller), syscall.SIGKILL); killErr != nil {
			t.Fatal(killErr)
		}
		hosttest.Until(t, "another controller has taken over", func() bool { return c.Stats().Restarts >= 1 })
		if sleepErr := c.Sleep(ctx, 10*time.Minute); sleepErr != nil {
			t.Fatal(sleepErr)
		}
	})
	t.Run("stopped", func(t *testing.T) { testStopped(t, c) })
	stop()
	if groupErr := group.Wait(); groupErr != nil {
		t.Fatal(groupErr)
	}
}

// A controller that a signal stops is replaced: waits whose ends jumps have brought nearer
// end by no limit of their own at that time.
func testStopped(t *testing.T, c Clock) {
	const long = 10 * time.Minute
	began, restarts := time.Now(), c.Stats().Restarts
	due := c.Now().Add(long)
	done := make(chan error)
	go func() { done <- c.SleepUntil(t.Context(), due) }()
	if err := c.SleepUntil(t.Context(), due.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(int(c.shared.controller), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if passed := time.Since(began); passed >= long {
		t.Errorf("a wait for %v took %v of real time, as if there had been no jump", long, passed)
	}
	hosttest.Until(t, "another controller has taken over", func() bool { return c.Stats().Restarts > restarts })
}

// Waits of an idle program are never early, no jump goes beyond one of them
// before it has ended, and their time is skipped: all but the real time that passes, of which each of 500 jumps takes
// tenths of a second where other programs keep the core busy.
func testIdle(t *testing.T, c Clock) {
	began, real := c.Now(), time.Now()
	var group errgroup.Group
	for i := range 10 {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		group.Go(func() error {
			for range 50 {
				d := time.Duration(random.Int64N(int64(time.Minute)))
				before := time.Now()
				due := c.Now().Add(d)
				if err := c.SleepUntil(t.Context(), due); err != nil {
					return err
				}
				if late := c.Now().Sub(due); late < 0 || late > time.Since(before) {
					t.Errorf("a wait for %v ended %v late", d, late)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	stats, virtual := c.Stats(), c.Now().Sub(began)
	t.Logf("%v passed in %v with %d jumps: %+v", virtual, time.Since(real), stats.Jumps, stats)
	if virtual < 10*time.Minute || stats.Skipped < virtual/2 {
		t.Errorf("%v passed, of it %v were skipped", virtual, stats.Skipped)
	}
}

// testNoJump runs work during which somebody always has to compute.
func testNoJump(t *testing.T, c Clock, work func()) {
	t.Helper()
	before := c.Stats()
	work()
	if skipped := c.Stats().Since(before).Skipped; skipped != 0 {
		t.Errorf("%v were skipped", skipped)
	}
}

// Two processes that wait for each other's words are at work, however short the
// words are.
func testTalking(t *testing.T, c Clock) {
	echo := exec.Command("cat")
	in, err := echo.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := echo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if startErr := echo.Start(); startErr != nil {
		t.Fatal(startErr)
	}
	word := make([]byte, 1)
	talk := func(times int) {
		for range times {
			if _, writeErr := in.Write(word); writeErr != nil {
				t.Fatal(writeErr)
			}
			if _, readErr := io.ReadFull(out, word); readErr != nil {
				t.Fatal(readErr)
			}
		}
	}
	talk(1) // cat must have been loaded
	testNoJump(t, c, func() { talk(3000) })
	if closeErr := in.Close(); closeErr != nil {
		t.Fatal(closeErr)
	}
	if waitErr := echo.Wait(); waitErr != nil {
		t.Fatal(waitErr)
	}
}
