package run

import (
	"context"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// Start starts a cluster on the engine of the environment, as start does.
func Start(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*slurm.Container, error) {
	return Docker{}.start(ctx, image, opts...)
}
