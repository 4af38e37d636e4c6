package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/results/trace"
)

// copyStall is the real time without a byte after which copying has failed. As long
// as bytes come it may take any time: a full journal on a slow disk takes minutes.
const copyStall = time.Minute

// bringHome copies the files of a run whose cluster is no longer needed, and removes
// its container. If all jobs have ended and the files cannot be copied, the container
// stays, stopped, so that it holds no core. run.json follows each step of such a run.
func bringHome(ctx context.Context, on Engine, cluster Cluster, dir trace.Dir, record *trace.Run, more what, warn func(string)) error {
	note := func(reason string) {
		if !record.Ended {
			return
		}
		now := *record
		now.Status, now.Reason = trace.StatusIncomplete, reason
		// The next one may succeed, and the last one must.
		if err := dir.WriteRun(now); err != nil {
			warn(err.Error())
		}
	}
	note("slurmlab ended before it had fetched the files of the run")
	faultpoint.At(faultpoint.Copy)
	var waits gaps
	more.early = !record.Ended
	err := fetch(ctx, cluster, dir, more, &waits)
	if err == nil {
		waits.tell(warn, on.Name()+" did not answer for %.0f s of real time while the files of the run were copied")
	}
	if err != nil && record.Ended {
		if killErr := cluster.Kill(ctx); killErr != nil {
			warn(fmt.Sprintf("container %.12s keeps the files of run %s and may still run: %s", cluster.ID(), record.ID, fault(killErr)))
		}
		return fmt.Errorf("all jobs have ended, but the files of the run were not copied: %w", err)
	}
	record.Container = ""
	note("slurmlab ended before it had written the metrics")
	if removeErr := cluster.Remove(ctx); removeErr != nil {
		warn(fmt.Sprintf("the container of run %s is left over (%s); remove it with: %s", record.ID, fault(removeErr), on.Removal(cluster.ID())))
	}
	return err
}

// fault is the error without what to do about a missing engine.
func fault(err error) string {
	var environment *EnvironmentError
	if errors.As(err, &environment) {
		return environment.Fault
	}
	return err.Error()
}

// what is copied of a run beside accounting, journal and logs: its integer programs, and the
// state of its cluster. A run that failed early may have none of it.
type what struct{ models, checkpoint, early bool }

// fetch copies accounting, journal and logs of a run and more from the container into the run's directory. It also works when the
// container has died. A file is there in whole or not at all; what is there already is
// copied again. waits gets the times in which nothing came.
func fetch(ctx context.Context, cluster Cluster, dir trace.Dir, more what, waits *gaps) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stall := time.AfterFunc(copyStall, func() { stop(fmt.Errorf("copy files: nothing came for %s", copyStall)) })
	defer stall.Stop()
	into := func(to string) func(string, io.Reader) error {
		return func(name string, data io.Reader) error {
			waits.rest()
			defer waits.mark()
			defer stall.Reset(copyStall)
			return keepFile(filepath.Join(to, filepath.Base(name)), awaited{data, stall, waits})
		}
	}
	waits.mark()
	defer waits.rest()
	err := cluster.CopyDir(ctx, drive.OutDir, into(dir.Path()))
	if more.early && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	err = errors.Join(err, cluster.CopyDir(ctx, boot.LogDir, into(dir.Logs())))
	if more.checkpoint {
		err = errors.Join(err, os.MkdirAll(dir.Checkpoint(), 0o755), cluster.CopyDir(ctx, boot.CheckpointDir, into(dir.Checkpoint())))
	}
	if more.models {
		err = errors.Join(err, os.MkdirAll(dir.Models(), 0o755), cluster.CopyDir(ctx, drive.ModelsDir, into(dir.Models())))
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// awaited bounds the wait for each piece. A disk on our side may be as slow as it
// is: its time does not count.
type awaited struct {
	io.Reader
	stall *time.Timer
	waits *gaps
}

func (r awaited) Read(p []byte) (int, error) {
	r.stall.Reset(copyStall)
	defer r.stall.Stop()
	r.waits.mark()
	defer r.waits.rest()
	return r.Reader.Read(p)
}

func keepFile(path string, data io.Reader) error {
	return trace.WriteAtomic(path, func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		if _, err := io.Copy(buffered, data); err != nil {
			return fmt.Errorf("copy %s: %w", filepath.Base(path), err)
		}
		return buffered.Flush()
	})
}
