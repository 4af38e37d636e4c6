package slurmctl

import (
	"context"
	"os"
)

// Here runs the commands of Slurm that are in the PATH, with the environment of this process. So a site's
// SBATCH_ACCOUNT or SLURM_CONF has its effect.
type Here struct{}

// Run implements Runner.
func (Here) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	e := Exec{Env: os.Environ(), Apart: true}
	if argv[0] != "sbatch" {
		// What is read has times without a zone; a job keeps the zone of its user.
		e.Env = append(e.Env, "TZ=UTC", "SLURM_TIME_FORMAT=standard")
	}
	return e.Run(ctx, stdin, argv...)
}
