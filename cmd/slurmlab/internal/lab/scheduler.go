package lab

import (
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator"
)

// Scheduler is what the cluster of a policy is booted with.
func Scheduler(p emulator.Policy) conf.Scheduler {
	switch p {
	case emulator.FIFO:
		return conf.Builtin
	case emulator.Backfill, emulator.BackfillMultifactor:
		return conf.Backfill
	case emulator.BackfillDefault:
		return conf.BackfillDefault
	default:
		return conf.External
	}
}
