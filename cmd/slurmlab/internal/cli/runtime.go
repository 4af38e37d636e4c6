package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
)

// The values of the flag --runtime.
const (
	runtimeDocker       = "docker"
	runtimeCharliecloud = "charliecloud"
)

// runtimeName is the value of the flag --runtime, empty for Docker.
type runtimeName string

// flag adds --runtime to a command that carries runs out.
func (r *runtimeName) flag(cmd *cobra.Command) {
	under(cmd, headCluster, func(f *pflag.FlagSet) {
		f.StringVar((*string)(r), "runtime", runtimeDocker, "what runs the cluster: docker, or charliecloud for an unpacked --image without Docker")
	})
	completeFlag(cmd, "runtime", ofWords(runtimeDocker, runtimeCharliecloud))
}

// check lists the faults of the flag, beside the others that it makes useless.
func (r runtimeName) check(memory memoryLimit) error {
	switch {
	case r != "" && r != runtimeDocker && r != runtimeCharliecloud:
		return fmt.Errorf("runtime: %q is not allowed, want %s", string(r), faults.Or([]string{runtimeDocker, runtimeCharliecloud}))
	case r == runtimeCharliecloud && memory != 0:
		return fmt.Errorf("memory: has no effect with --runtime %s, which limits nothing", runtimeCharliecloud)
	default:
		return nil
	}
}

// fits refuses a kind of cluster that the runtime cannot have.
func (r runtimeName) fits(slurm string) error {
	if r != runtimeCharliecloud || slurm == external.Series {
		return nil
	}
	return fmt.Errorf("slurm: %s is not allowed with --runtime %s, as its nodes need root in their container; want %s", slurm, runtimeCharliecloud, external.Series)
}

// on is what the flag names.
func (r runtimeName) on() run.Runtime {
	if r == runtimeCharliecloud {
		return run.Charliecloud{}
	}
	return run.Docker{}
}
