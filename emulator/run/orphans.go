package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Bond says whether a slurmlab cares for a container.
type Bond string

// The bonds of containers.
const (
	// BondHeld is one that a slurmlab holds, or that a user keeps.
	BondHeld Bond = "held"
	// BondOrphan is one whose slurmlab was killed: it left a run.json without the
	// end.
	BondOrphan Bond = "orphan"
	// BondLeft is one that a slurmlab left behind when it ended, as when the engine did
	// not answer any more.
	BondLeft Bond = "left"
	// BondStray is one that has ended and of whose run nothing is known here.
	BondStray Bond = "stray"
	// BondKept is one that keeps the files of a run for "slurmlab run --resume".
	BondKept Bond = "kept"
)

// Bond finds the slurmlab of a container by the lock on its run directory. Of a
// container from another machine, or whose directory is gone or not ours to open,
// only its state is known: one that has not run for aMoment counts as stray.
func (c Container) Bond() Bond {
	if c.Role == slurm.RoleUp {
		return BondHeld
	}
	record, held, err := owner(c.Owner)
	switch {
	case err != nil && (c.State == "running" || time.Since(c.Created) < aMoment || time.Since(c.Ended) < aMoment):
		return BondHeld
	case err != nil:
		return BondStray
	case held:
		return BondHeld
	case record.Container == c.ID:
		return BondKept
	case !record.Finished.IsZero():
		return BondLeft
	default:
		return BondOrphan
	}
}

// aMoment is longer than a container is created and not yet started, or ended and not yet removed.
const aMoment = time.Minute

// RemoveOrphans removes the containers whose slurmlab was killed or could not remove
// them, running or not, and returns their names.
func RemoveOrphans(ctx context.Context, on Engine) (killed, left []string, err error) {
	all, err := on.Clusters(ctx, slurm.RoleRun, "")
	if err != nil {
		return nil, nil, err
	}
	var faults []error
	for _, c := range all {
		switch c.Bond() {
		case BondOrphan:
			killed = append(killed, c.Name)
		case BondLeft:
			left = append(left, c.Name)
		default:
			continue
		}
		faults = append(faults, removeOne(ctx, on, c.ID))
	}
	return killed, left, errors.Join(faults...)
}

func removeOne(ctx context.Context, on Engine, id string) error {
	cluster, err := on.Open(id)
	if err != nil {
		return err
	}
	defer cluster.Close()
	return cluster.Remove(ctx)
}

// OwnerOf is the owner of the cluster of the run in a directory, as MACHINE:DIRECTORY: the engine may be on another
// machine.
func OwnerOf(dir string) string {
	path, err := filepath.Abs(dir)
	if err != nil {
		// Without a working directory nobody finds the run again.
		return ""
	}
	return thisMachine(machineID) + ":" + path
}

// machineID has what tells a machine from others of its name (machine-id(5)).
const machineID = "/etc/machine-id"

// thisMachine is the name of this machine with a hash of its id, which is not to be told to others as it is. Without an
// id, as in many containers, the name alone tells it from others.
func thisMachine(idFile string) string {
	id, err := os.ReadFile(idFile)
	if err != nil || len(bytes.TrimSpace(id)) == 0 {
		return hostname()
	}
	return fmt.Sprintf("%s+%.4x", hostname(), sha256.Sum256(append(id, machineID...)))
}

// Directory is the directory of the run that a container of this machine is for, "" for none.
func (c Container) Directory() string {
	path, here := strings.CutPrefix(c.Owner, thisMachine(machineID)+":")
	if !here {
		return ""
	}
	return path
}

func hostname() string {
	// Without a name the machine is "".
	name, _ := os.Hostname()
	return name
}

// owner returns the record of the run of a cluster, or whether a slurmlab carries the
// run out. An owner that cannot be found is an error.
func owner(label string) (record trace.Run, held bool, err error) {
	path := Container{Owner: label}.Directory()
	if path == "" {
		return record, false, os.ErrNotExist
	}
	dir, err := trace.Open(path)
	if err != nil {
		return record, false, err
	}
	if dir.Archived() {
		// Who archives a run has ended it before, so nobody holds it.
		record, err = dir.ReadRun()
		return record, false, err
	}
	lock, err := lockRun(dir)
	if err != nil || lock == nil {
		return record, err == nil, err
	}
	defer func() { _ = lock.Close() }()
	// Only with the lock is it certain that nobody is about to write the end.
	record, err = dir.ReadRun()
	return record, false, err
}
