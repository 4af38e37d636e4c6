//go:build !linux

package slurmctl

import (
	"errors"
	"os"
)

// inputrc is for sessions, which run beside Slurm's daemons: on Linux.
func inputrc() (*os.File, error) {
	return nil, errors.New("a session of scontrol needs Linux")
}
