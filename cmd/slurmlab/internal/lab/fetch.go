package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/faultpoint"
	"github.com/slurmlab/slurmlab/results/trace"
)

// copyStall is the real time without a byte after which copying has failed. As long
// as bytes come it may take any time: a full journal on a slow disk takes minutes.
const copyStall = 20 * time.Second

// copyDir is slurm.CopyDir of one container.
type copyDir func(ctx context.Context, dir string, keep func(name string, data io.Reader) error) error

// bringHome copies the files of a run whose cluster is no longer needed, and removes
// its container. If all jobs have ended and the files cannot be copied, the container
// stays, stopped, so that it holds no core. run.json follows each step of such a run.
func bringHome(ctx context.Context, from copyDir, dir trace.Dir, record *trace.Run, models bool, warn func(string)) error {
	container := record.Container
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
	err := fetch(ctx, from, dir, models, &waits)
	if err == nil {
		waits.tell(warn, "Docker did not answer for %.0f s of real time while the files of the run were copied")
	}
	if err != nil && record.Ended {
		if killErr := kill(ctx, container); killErr != nil {
			warn(fmt.Sprintf("container %.12s keeps the files of run %s and may still run: %s", container, record.ID, fault(killErr)))
		}
		return fmt.Errorf("all jobs have ended, but the files of the run were not copied: %w", err)
	}
	record.Container = ""
	note("slurmlab ended before it had written the metrics")
	if removeErr := Remove(ctx, container); removeErr != nil {
		warn(fmt.Sprintf("the container of run %s is left over (%s); remove it with: docker rm -f %.12s", record.ID, fault(removeErr), container))
	}
	return err
}

// kill stops a container at once; its files stay.
func kill(ctx context.Context, id string) error {
	_, err := ask(context.WithoutCancel(ctx), func(ctx context.Context, docker *client.Client) (client.ContainerKillResult, error) {
		return docker.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: "KILL"})
	})
	// One that has stopped already cannot be killed.
	if errdefs.IsConflict(err) {
		return nil
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

// fetch copies accounting, journal and logs of a run and, with models, its integer
// programs from the container into the run's directory. It also works when the
// container has died. A file is there in whole or not at all; what is there already is
// copied again. waits gets the times in which nothing came.
func fetch(ctx context.Context, from copyDir, dir trace.Dir, models bool, waits *gaps) error {
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
	err := errors.Join(from(ctx, emulator.OutDir, into(dir.Path())), from(ctx, boot.LogDir, into(dir.Logs())))
	if models {
		err = errors.Join(err, os.MkdirAll(dir.Models(), 0o755), from(ctx, emulator.ModelsDir, into(dir.Models())))
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
