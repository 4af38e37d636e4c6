package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// patterns find the processes of a victim in its container by their command lines, as
// pgrep -f takes them.
func patterns(v check.Victim) string {
	return map[check.Victim]string{
		check.MariaDB:      `^mariadbd `,
		check.Slurmdbd:     `^slurmdbd -D`,
		check.Slurmctld:    `^slurmctld -D`,
		check.Slurmd:       `^slurmd -D`,
		check.Slurmstep:    `^slurmstepd: `,
		check.Runner:       `slurmlabd runner$`,
		check.Slurmchannel: `slurmchannel`,
		check.Vclockd:      `vclockd`,
		check.Worker:       `slurmlabd solver-worker$`,
		check.Driver:       `slurmlabd run$`,
		check.Boot:         `^/usr/local/bin/slurmlabd boot`,
	}[v]
}

// docker runs a command of Docker's command line.
func docker(ctx context.Context, args ...string) (string, error) {
	var out, faults bytes.Buffer
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(faults.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// signal sends a signal to all processes of a victim in a container.
func signal(ctx context.Context, container string, v check.Victim, name string) error {
	if _, err := docker(ctx, "exec", container, "pgrep", "-f", patterns(v)); err != nil {
		return fmt.Errorf("find %s: %w", v, err)
	}
	// The victim's end may end this command, as the container's end does.
	_, err := docker(ctx, "exec", container, "pkill", "-"+name, "-f", patterns(v))
	var exit *exec.ExitError
	if errors.As(err, &exit) && name != "STOP" && name != "CONT" {
		return nil
	}
	return err
}
