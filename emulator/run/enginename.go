package run

import (
	"fmt"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/internal/faults"
)

// The names of the engines.
const (
	DockerName       = "docker"
	CharliecloudName = "charliecloud"
)

// EngineName is what a user calls an engine, empty for Docker.
type EngineName string

// Check refuses an unknown name, and a limit of the memory in bytes where there can be none; 0 is no limit.
func (r EngineName) Check(memory int64) error {
	switch {
	case r != "" && r != DockerName && r != CharliecloudName:
		return fmt.Errorf("engine: %q is not allowed, want %s", string(r), faults.Or([]string{DockerName, CharliecloudName}))
	case r == CharliecloudName && memory != 0:
		return fmt.Errorf("memory: has no effect with --engine %s, which limits nothing", CharliecloudName)
	default:
		return nil
	}
}

// Fits refuses a backend that the engine cannot have.
func (r EngineName) Fits(b backend.Backend) error {
	able := RootlessBackends()
	if r != CharliecloudName || able.Has(b) {
		return nil
	}
	return fmt.Errorf("backend: %s is not allowed with --engine %s, as its nodes need root in their container; want %s", b.Form, CharliecloudName, able)
}

// On is the engine.
func (r EngineName) On() Engine {
	if r == CharliecloudName {
		return Charliecloud{}
	}
	return Docker{}
}
