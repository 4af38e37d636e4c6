package clock

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	pagePath = "/dev/shm/vclock"
	library  = "/usr/local/lib/libvclock.so"
)

const (
	controller = "vclockd"
	readyLine  = "vclockd: ready\n"
	// restartPause keeps a controller that dies at once from taking the core
	// from the cluster, which meanwhile runs at the speed of real time.
	restartPause = 100 * time.Millisecond
	// stopLimit is the real time in which a controller must obey SIGTERM.
	stopLimit = 5 * time.Second
)

func startJump(ctx context.Context, s Settings, path string) (Clock, []string, error) {
	args, scale := s.arguments()
	cmd, err := launch(ctx, append([]string{"--page", path}, args...)...)
	if err != nil {
		return Clock{}, nil, err
	}
	go supervise(ctx, cmd, path)
	c, err := Clock{Kind: KindJump, Scale: scale, Page: path}.Attach()
	if err != nil {
		return Clock{}, nil, err
	}
	return c, []string{"LD_PRELOAD=" + library, "VCLOCK_PAGE=" + path}, nil
}

// arguments returns the settings as vclockd takes them, and Clock.Scale.
func (s Settings) arguments() (args []string, scale float64) {
	think, start, rounds := s.ThinkScale, s.Start, s.Rounds
	if think == 0 {
		think = 1
	}
	if start.IsZero() {
		start = DefaultStart()
	}
	if rounds == nil {
		rounds = DefaultRounds()
	}
	decimal := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	args = []string{"--start", strconv.FormatInt(start.Unix(), 10), "--think-scale", decimal(think), "--hold"}
	for _, thread := range slices.Sorted(maps.Keys(rounds)) {
		args = append(args, "--round", thread+"="+decimal(rounds[thread].Seconds()))
	}
	return args, 1 / think
}

// launch starts vclockd, which lives until ctx ends, and returns when it is
// ready. Its complaints go to standard error.
func launch(ctx context.Context, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, controller, args...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	// Its own process group, so that a terminal's Ctrl-C does not reach it. In a session of its own it would be in
	// another autogroup (sched(7)) than the cluster. Its test whether anybody else is runnable would then say
	// nothing, unless a control group of the container takes the place of autogroups.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if startErr := cmd.Start(); startErr != nil {
		return nil, startErr
	}
	// Without a whole line, line is what there was.
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != readyLine {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("%s printed %q, not that it is ready: %w",
			controller, line, cmp.Or(cmd.Wait(), io.ErrUnexpectedEOF))
	}
	return cmd, nil
}

// supervise replaces a controller that dies before ctx ends, or that a signal stops: a
// stopped one wakes nobody, and the end of a wait that jumps have brought nearer passes
// unnoticed. The new one takes over the page, where it counts itself.
func supervise(ctx context.Context, cmd *exec.Cmd, path string) {
	for {
		if cmd != nil {
			awaitStop(cmd.Process.Pid)
			_ = cmd.Process.Kill()
			// Why it died is on standard error; that it did is in the page.
			_ = cmd.Wait()
		}
		select {
		case <-time.After(restartPause):
		case <-ctx.Done():
			return
		}
		cmd, _ = launch(ctx, "--page", path, "--attach")
	}
}

// awaitStop returns when a child has ended, whose status it leaves for Wait, or is stopped.
func awaitStop(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
