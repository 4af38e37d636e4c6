package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// Start starts a cluster on the engine of the environment, as start does.
func Start(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*slurm.Container, error) {
	return Docker{}.start(ctx, image, opts...)
}

// OwnDir is the directory of a run of a test. Its name is the run's, by which tests find the cluster on the engine: no other
// process has a run of that name there, such as the same test in another checkout.
func OwnDir(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(t.TempDir(), ownName(name))
}

// ownName is the name of a cluster that no other process gives.
func ownName(name string) string { return fmt.Sprintf("%s-%d", name, os.Getpid()) }
