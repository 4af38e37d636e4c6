package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/checkpoint"
)

// freeze ends the daemons of the cluster and packs what they leave.
func freeze(ctx context.Context, state boot.State) error {
	if err := state.ShutDown(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(checkpoint.Dir, 0o755); err != nil {
		return fmt.Errorf("freeze cluster: %w", err)
	}
	file, err := os.Create(checkpoint.Path())
	if err != nil {
		return fmt.Errorf("freeze cluster: %w", err)
	}
	err = checkpoint.Pack(file, boot.CheckpointDirs()...)
	return errors.Join(err, file.Close())
}
