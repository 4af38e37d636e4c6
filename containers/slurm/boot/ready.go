package boot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

const (
	// askInterval is the pause between two questions to a starting daemon.
	askInterval = 20 * time.Millisecond
	// fileInterval is the pause between two looks for a file.
	fileInterval = time.Millisecond
	// askLimit ends one unanswered question.
	askLimit = 10 * time.Second
	// bootLimit is the real time that one daemon may take to serve. Measured on two
	// cores: 1.4 s for the slowest, and 3 s more for slurmctld under a real clock,
	// where it waits for its nodes. 10,000 nodes beside six busy programs: 20 s.
	bootLimit = 2 * time.Minute
)

// until asks a daemon until it serves, and rests between two questions. It fails at
// once when fault says so.
func (c *Daemons) until(ctx context.Context, name string, rest func(context.Context) error, ready func(context.Context) error, fault func() error) error {
	if ready == nil {
		return fault()
	}
	limited, cancel := context.WithTimeout(ctx, bootLimit)
	defer cancel()
	for {
		ask, done := context.WithTimeout(limited, askLimit)
		err := ready(ask)
		done()
		if err == nil {
			return nil
		}
		if broken := fault(); broken != nil {
			return broken
		}
		var refused *configurationError
		if errors.As(err, &refused) {
			return refused
		}
		if rest(limited) != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%s does not serve after %v: %w%s", name, bootLimit, err, c.nameStopped()+c.nameThreads(name))
		}
	}
}

// pause rests for a real time.
func pause(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// skip rests for a virtual second, which a jump clock skips. slurmctld looks at its nodes every few seconds of its
// own clock, so a held clock would make each boot wait for them. On other clocks it rests for askInterval.
func (c *Daemons) skip(ctx context.Context) error {
	if c.State.Clock.Kind != clock.KindJump {
		return pause(askInterval)(ctx)
	}
	c.State.Clock.Go()
	defer c.State.Clock.Hold()
	return c.State.Clock.Sleep(ctx, time.Second)
}

// after asks the second question when the first one holds. A client program that is started for each look takes the core
// from the daemon that it asks; a first look takes none.
func after(first, second func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := first(ctx); err != nil {
			return err
		}
		return second(ctx)
	}
}

// Ports on which Slurm's daemons listen: the defaults of SlurmctldPort (slurm.conf(5)) and DbdPort (slurmdbd.conf(5)). Package
// conf writes neither, and takes neither from a user.
const (
	controllerPort = 6817
	accountingPort = 6819
)

// listening holds when a process listens on a port of TCP, by the kernel's tables of sockets (proc_pid_net(5)).
func listening(port uint16) func(context.Context) error {
	return func(context.Context) error {
		for _, name := range []string{"tcp", "tcp6"} {
			// A kernel without IPv6 lacks its table.
			table, err := os.ReadFile(filepath.Join("/proc/net", name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("look for a listener on port %d: %w", port, err)
			}
			if listens(string(table), port) {
				return nil
			}
		}
		return fmt.Errorf("nobody listens on port %d", port)
	}
}

// listens says whether a table has a socket in the state "listen", 0A, on a port: a line is "0: 0100007F:1AA3 00000000:0000 0A …".
func listens(table string, port uint16) bool {
	const listen = "0A"
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) > 3 && fields[3] == listen && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
			return true
		}
	}
	return false
}

// nameStopped names the daemons that a signal has stopped: they do not answer, and cannot
// say why. It is empty if there are none.
func (c *Daemons) nameStopped() string {
	var names []string
	for _, d := range c.stopped() {
		names = append(names, d.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return "; stopped by a signal: " + strings.Join(names, ", ")
}

// configurationError says that Slurm does not take its configuration, in its own words.
type configurationError struct{ words string }

func (e *configurationError) Error() string {
	return "Slurm refuses the configuration: " + strings.ReplaceAll(e.words, "\n", "; ")
}

// refusal is what every command of Slurm ends with whose slurm.conf it cannot take
// (src/common/read_config.c).
const refusal = "Unable to process configuration file"

// answers holds when a client command gets an answer.
func (c *Daemons) answers(argv ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := c.command(ctx, argv...).CombinedOutput()
		if err != nil && strings.Contains(string(out), refusal) {
			return &configurationError{strings.TrimSpace(string(out))}
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %s", argv[0], err, out)
		}
		// scontrol ping exits 0 for a controller that is down in some states.
		if strings.Contains(string(out), "DOWN") {
			return fmt.Errorf("%s: %s", argv[0], out)
		}
		return nil
	}
}

// allIdle holds when all nodes are idle.
func (c *Daemons) allIdle(ctx context.Context) error { return c.serve(ctx, c.State.Spec.Nodes) }

// inService holds when all nodes are idle but the ones that are out of service. The nodes of a checkpoint have their
// saved states as soon as slurmctld answers.
func (c *Daemons) inService(ctx context.Context) error {
	if c.restored() {
		return nil
	}
	want := c.State.Spec.Nodes
	if l := c.State.Spec.Layout; !l.IsZero() {
		want = 0
		for _, n := range l.InService() {
			want += n
		}
	}
	return c.serve(ctx, want)
}

// serve holds when so many nodes are idle.
func (c *Daemons) serve(ctx context.Context, want int) error {
	// A node has a line for each of its partitions. Asked for idle nodes (-t idle), sinfo also shows drained ones.
	out, err := c.command(ctx, "sinfo", "-h", "-N", "-o", "%N %t").Output()
	if err != nil {
		return fmt.Errorf("sinfo: %w", err)
	}
	serving := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		name, state, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.TrimRight(state, "*") == "idle" {
			serving[name] = true
		}
	}
	if len(serving) != want {
		return fmt.Errorf("%d of %d nodes are idle", len(serving), want)
	}
	return nil
}

// ready holds when all nodes in service are still idle and the backend is ready.
func (c *Daemons) ready(nodes Nodes) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.inService(ctx); err != nil {
			return err
		}
		return nodes.Ready(func(argv ...string) (string, error) {
			out, err := c.command(ctx, argv...).Output()
			if err != nil {
				return "", fmt.Errorf("%s: %w", argv[0], err)
			}
			return string(out), nil
		})
	}
}

// command is State.Command while the rest of the state may change.
func (c *Daemons) command(ctx context.Context, argv ...string) *exec.Cmd {
	return State{Env: c.State.Env}.Command(ctx, argv...)
}
