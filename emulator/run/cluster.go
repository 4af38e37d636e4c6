package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// Engine runs clusters and finds them again.
type Engine interface {
	// Name is what messages call it.
	Name() string
	// Check reports whether it can be used here, and its version.
	Check(ctx context.Context) (version string, err error)
	// Image describes a cluster image; ErrNoImage is one that is not there.
	Image(ctx context.Context, name string) (Image, error)
	// ImageRemedy says how to get an image of the series of Slurm, any if that is empty.
	ImageRemedy(series string) string
	// Processors lists the processors that clusters may run on. Each hardware thread counts.
	Processors(ctx context.Context) ([]int, error)
	// Start starts a cluster of slurm.RoleRun and returns when it serves. A start that fails
	// leaves nothing; one that was interrupted fails with the reason why ctx ended.
	Start(ctx context.Context, image string, options ...slurm.Option) (Cluster, error)
	// Clusters lists the clusters of a role and a name, running or not; empty stands for any.
	Clusters(ctx context.Context, role, name string) ([]Container, error)
	// Open returns the cluster of that id, whether it is there or not.
	Open(id string) (Cluster, error)
	// Removal is the command with which a user removes a cluster.
	Removal(id string) string
}

// Cluster is a cluster of a Engine. Its State, Kill and Remove work after ctx has ended, since
// that is when they are needed most.
type Cluster interface {
	ID() string
	// Stream is slurm.Remote's.
	Stream(ctx context.Context, kill <-chan struct{}, stdin io.Reader, stdout, stderr io.Writer, argv ...string) (int, error)
	// CopyDir is slurm.Remote's. It also works on a cluster that has ended.
	CopyDir(ctx context.Context, dir string, keep func(name string, data io.Reader) error) error
	// State tells how the cluster is; ErrGone is one that is not there.
	State(ctx context.Context) (ClusterState, error)
	// Kill ends the cluster at once; its files stay.
	Kill(ctx context.Context) error
	// Remove ends the cluster and removes its files. One that is gone is no error.
	Remove(ctx context.Context) error
	// Close ends the connection. A cluster that this process has started ends then.
	Close()
}

// ClusterState is how a cluster is.
type ClusterState struct {
	// Status is the engine's word for it.
	Status  string
	Running bool
	// ExitCode of a cluster that has ended.
	ExitCode int
	// OutOfMemory says that the kernel killed it at its limit.
	OutOfMemory bool
}

// Errors of a Engine.
var (
	ErrNoImage = errors.New("no such image")
	ErrGone    = errors.New("no such cluster")
)

// answerLimit bounds a short command in a cluster, in which slurmlabd asks Slurm for
// at most 5 s.
const answerLimit = 20 * time.Second

// output runs a short command in a running cluster and returns its standard output.
// A command that fails is an error with what it printed to standard error.
func output(ctx context.Context, cluster Cluster, argv ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, fmt.Errorf("no answer within %s", answerLimit))
	defer cancel()
	var stdout, stderr bytes.Buffer
	code, err := cluster.Stream(ctx, ctx.Done(), nil, &stdout, &stderr, argv...)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && code != 0:
		err = fmt.Errorf("exit code %d: %s", code, bytes.TrimSpace(stderr.Bytes()))
	}
	if err != nil {
		return nil, fmt.Errorf("run %s in container %.12s: %w", argv[0], cluster.ID(), err)
	}
	return stdout.Bytes(), nil
}
