package boot

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// askInterval is the pause between two questions to a starting daemon.
	askInterval = 20 * time.Millisecond
	// askLimit ends one unanswered question.
	askLimit = 10 * time.Second
	// bootLimit is the real time that one daemon may take to serve. Measured on two
	// cores: 1.4 s for the slowest, and 3 s more for slurmctld under a real clock,
	// where it waits for its nodes.
	bootLimit = 60 * time.Second
)

// await asks a daemon until it serves. It fails at once when one has died.
func (c *Daemons) await(ctx context.Context, name string, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, bootLimit)
	defer cancel()
	for {
		askCtx, done := context.WithTimeout(ctx, askLimit)
		err := ready(askCtx)
		done()
		if err == nil {
			return nil
		}
		for _, d := range c.State.Daemons {
			if !d.Alive() {
				lines := tail(d.Log, 10)
				if len(lines) == 0 {
					lines = tail(filepath.Join(LogDir, d.Name+".out"), 10)
				}
				return &DaemonError{Name: d.Name, Log: lines}
			}
		}
		select {
		case <-time.After(askInterval):
		case <-ctx.Done():
			return fmt.Errorf("%s does not serve after %v: %w", name, bootLimit, err)
		}
	}
}

// answers holds when a client command gets an answer.
func (c *Daemons) answers(argv ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := c.State.Command(ctx, argv...).CombinedOutput()
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

// idle holds when all nodes are idle.
func (c *Daemons) idle(ctx context.Context) error {
	idle, err := c.State.Command(ctx, "sinfo", "-h", "-t", "idle", "-o", "%D").Output()
	if err != nil {
		return fmt.Errorf("sinfo: %w", err)
	}
	if got := strings.TrimSpace(string(idle)); got != strconv.Itoa(c.State.Spec.Nodes) {
		return fmt.Errorf("%q of %d nodes are idle", got, c.State.Spec.Nodes)
	}
	return nil
}

// registered holds when all nodes are idle and slurmd has registered twice;
// see the package comment.
func (c *Daemons) registered(ctx context.Context) error {
	if err := c.idle(ctx); err != nil {
		return err
	}
	diag, err := c.State.Command(ctx, "sdiag").Output()
	if err != nil {
		return fmt.Errorf("sdiag: %w", err)
	}
	if n := registrations(string(diag)); n < 2 {
		return fmt.Errorf("slurmd has registered %d times, want 2", n)
	}
	return nil
}

// registrations reads the number of node registrations from sdiag's table of
// remote procedure calls.
func registrations(diag string) int {
	for line := range strings.Lines(diag) {
		if !strings.Contains(line, "MESSAGE_NODE_REGISTRATION_STATUS") {
			continue
		}
		for _, field := range strings.Fields(line) {
			if count, ok := strings.CutPrefix(field, "count:"); ok {
				n, err := strconv.Atoi(count)
				if err != nil {
					return 0
				}
				return n
			}
		}
	}
	return 0
}
