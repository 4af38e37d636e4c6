package run

import (
	"fmt"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// The names of the runtimes.
const (
	DockerName       = "docker"
	CharliecloudName = "charliecloud"
)

// RuntimeName is what a user calls a runtime, empty for Docker.
type RuntimeName string

// Check refuses an unknown name, and a limit of the memory in bytes where there can be none; 0 is no limit.
func (r RuntimeName) Check(memory int64) error {
	switch {
	case r != "" && r != DockerName && r != CharliecloudName:
		return fmt.Errorf("runtime: %q is not allowed, want %s", string(r), faults.Or([]string{DockerName, CharliecloudName}))
	case r == CharliecloudName && memory != 0:
		return fmt.Errorf("memory: has no effect with --runtime %s, which limits nothing", CharliecloudName)
	default:
		return nil
	}
}

// Fits refuses a kind of cluster that the runtime cannot have.
func (r RuntimeName) Fits(slurm string) error {
	able := RootlessBackends()
	if r != CharliecloudName || able.Has(slurm) {
		return nil
	}
	return fmt.Errorf("slurm: %s is not allowed with --runtime %s, as its nodes need root in their container; want %s", slurm, CharliecloudName, able)
}

// On is the runtime.
func (r RuntimeName) On() Runtime {
	if r == CharliecloudName {
		return Charliecloud{}
	}
	return Docker{}
}
