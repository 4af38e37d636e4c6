package boot

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// register lets a slurmd of each of the nodes tell slurmctld once which GPUs the node has, and ends it. slurmctld loads gres.conf itself for
// cloud nodes alone (_gres_reconfig in src/slurmctld/read_config.c). Without a registration it counts shards and GPUs of an external node
// apart, so that jobs get both of the same GPU. The state of slurmctld keeps the answer, so a later slurmctld knows it too.
//
// One slurmd follows another: at its start each replaces the socket /run/slurm/sack.socket.
func (c *Daemons) register(ctx context.Context, nodes []string) error {
	for _, node := range nodes {
		if err := c.registerOne(ctx, node); err != nil {
			return fmt.Errorf("register %s: %w", node, err)
		}
	}
	return nil
}

func (c *Daemons) registerOne(ctx context.Context, node string) error {
	out, err := os.OpenFile(filepath.Join(c.paths.logs, "register.out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	slurmd := exec.CommandContext(ctx, "slurmd", "-D", "-N", node)
	slurmd.Env = append(os.Environ(), c.State.Env...)
	slurmd.Stdout, slurmd.Stderr = out, out
	slurmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err = slurmd.Start(); err != nil {
		return err
	}
	err = c.until(ctx, node, c.skip, func(ctx context.Context) error { return c.isRegistered(ctx, node) }, c.fault)
	// It has done its work, or never will.
	_ = slurmd.Process.Kill()
	_ = slurmd.Wait()
	return err
}

// isRegistered says whether slurmctld has heard of the node's slurmd when it started.
func (c *Daemons) isRegistered(ctx context.Context, node string) error {
	shown, err := c.command(ctx, "scontrol", "-o", "show", "node", node).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, shown)
	}
	if text := string(shown); !strings.Contains(text, "SlurmdStartTime=") || strings.Contains(text, "SlurmdStartTime=None") {
		return fmt.Errorf("its slurmd has not registered")
	}
	return nil
}
