package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
)

// freeze ends the daemons of the cluster and packs what they leave.
func freeze(ctx context.Context, state boot.State) error {
	if err := state.ShutDown(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(boot.CheckpointDir, 0o755); err != nil {
		return fmt.Errorf("freeze cluster: %w", err)
	}
	file, err := os.Create(boot.CheckpointPath())
	if err != nil {
		return fmt.Errorf("freeze cluster: %w", err)
	}
	err = boot.PackCheckpoint(file, boot.CheckpointDirs()...)
	return errors.Join(err, file.Close())
}
