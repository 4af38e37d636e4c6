package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A run of 400 jobs writes about 6 MB, most of it slurmctld's log: 15 kB a job. On 26.05 it
// is 2 kB a job, and 9 with an agent (docs/records/023-campaigns).
const (
	// diskForRun and diskForJob are what a run leaves.
	diskForRun, diskForJob = 64 << 10, 16 << 10
	// roomForRun and roomForJob are the free space that a run needs at its start.
	roomForRun, roomForJob = 64 << 20, 64 << 10
	// leastForRun and leastForJob are what must be left as long as it goes: as much as
	// fetching the files of a run that is stopped then takes.
	leastForRun, leastForJob = 16 << 20, 16 << 10
)

// Room is the free space in bytes that runs need together.
func Room(configs ...Config) uint64 {
	var need uint64
	for _, c := range configs {
		need += roomForRun + uint64(len(c.Jobs))*roomForJob
	}
	return need
}

// Disk is what runs leave on the disk, in bytes.
func Disk(configs ...Config) uint64 {
	var bytes uint64
	for _, c := range configs {
		bytes += diskForRun + uint64(len(c.Jobs))*diskForJob
	}
	return bytes
}

// checkRoom fails where the file system of the future directory dir has less space left
// than need, in bytes.
func checkRoom(dir string, need uint64) error {
	parent := filepath.Dir(dir)
	for {
		if _, err := os.Stat(parent); err == nil {
			break
		}
		up := filepath.Dir(parent)
		if up == parent {
			return nil
		}
		parent = up
	}
	free, err := FreeSpace(parent)
	if err != nil {
		return err
	}
	if free < need {
		return &EnvironmentError{
			Fault:  fmt.Sprintf("%s has %d MB left, the runs need %d MB", parent, free>>20, need>>20),
			Remedy: "free some space or choose another directory with --out",
		}
	}
	return nil
}

// FreeSpace is what the file system of a directory has left for this user, in bytes.
func FreeSpace(dir string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("check space in %s: %w", dir, err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}

// fullError is why a run was stopped whose disk was about to be full. Its files still
// found room.
type fullError struct {
	dir        string
	free, need uint64
}

func (e *fullError) Error() string {
	return fmt.Sprintf("stopped because the disk is full: the file system of %s has %d MB left, the run keeps %d MB for its files", e.dir, e.free>>20, e.need>>20)
}

// roomInterval is the real time between two looks at the free space. In it a run writes
// less than a megabyte.
const roomInterval = 2 * time.Second

// watchRoom returns a *fullError when the directory of a run has less free space than need,
// and nil when ctx ends before. free is FreeSpace.
func watchRoom(ctx context.Context, dir string, need uint64, free func(string) (uint64, error)) error {
	tick := time.NewTicker(roomInterval)
	defer tick.Stop()
	for {
		// A file system that does not tell is one whose writes tell.
		if left, err := free(dir); err == nil && left < need {
			return &fullError{dir, left, need}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
