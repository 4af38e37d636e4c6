package lab

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// minRoom is the free space a run needs: a run of 400 jobs writes about 6 MB,
// most of it slurmctld's log.
const minRoom = 64 << 20

// checkRoom fails where the file system of the future directory dir has too
// little space left.
func checkRoom(dir string) error {
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
	var fs unix.Statfs_t
	if err := unix.Statfs(parent, &fs); err != nil {
		return fmt.Errorf("check space in %s: %w", parent, err)
	}
	if free := fs.Bavail * uint64(fs.Bsize); free < minRoom {
		return &EnvironmentError{
			Fault:  fmt.Sprintf("%s has %d MB left, a run needs %d MB", parent, free>>20, minRoom>>20),
			Remedy: "free some space or choose another directory with --out",
		}
	}
	return nil
}
