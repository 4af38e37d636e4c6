package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Reservation keeps a directory for the results of this process, from before it waits for a core. Otherwise two
// commands with the same directory would both wait, and one of them would fail in the end.
type Reservation struct {
	// made are the directories that were made, the lowest first.
	made []string
	lock *os.File
}

// ErrReserved is the error of a directory that another slurmlab writes to.
var ErrReserved = errors.New("another slurmlab writes to it; wait for its end or choose another directory")

// Reserve makes the directory, with parents. One that is there is refused with an error
// that satisfies errors.Is(err, fs.ErrExist), or, with again set, taken if no other
// process has it reserved. Its file system must have so many bytes free.
func Reserve(path string, again bool, need uint64) (*Reservation, error) {
	if err := checkRoom(path, need); err != nil {
		return nil, err
	}
	r := &Reservation{}
	if err := r.make(filepath.Clean(path), again); err != nil {
		r.Release()
		return nil, fmt.Errorf("create output directory: %w", err)
	}
	return r, r.hold(path, unix.LOCK_EX)
}

// Share is Reserve of a directory that exists, beside others who share it and nobody who keeps it reserved.
func Share(path string, need uint64) (*Reservation, error) {
	if err := checkRoom(path, need); err != nil {
		return nil, err
	}
	r := &Reservation{}
	return r, r.hold(path, unix.LOCK_SH)
}

// hold locks the directory until it is released. An error releases it.
func (r *Reservation) hold(path string, how int) error {
	// O_DIRECTORY refuses a file.
	dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		r.Release()
		return fmt.Errorf("reserve %s: %w", path, err)
	}
	// A file system that cannot lock directories, as NFS, is used without: the runs in
	// the directory have locks of their own.
	if errors.Is(unix.Flock(int(dir.Fd()), how|unix.LOCK_NB), unix.EWOULDBLOCK) {
		r.Release()
		_ = dir.Close()
		return fmt.Errorf("%s: %w", path, ErrReserved)
	}
	r.lock = dir
	return nil
}

// make makes the directory and what is missing above it.
func (r *Reservation) make(path string, again bool) error {
	err := os.Mkdir(path, 0o755)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = r.make(filepath.Dir(path), true); err != nil {
			return err
		}
		return r.make(path, again)
	case again && errors.Is(err, fs.ErrExist):
		// A file of that name is found when it is opened or a directory made in it.
		return nil
	case err != nil:
		return err
	}
	r.made = append([]string{path}, r.made...)
	return nil
}

// Release gives the directory up. Directories that Reserve made and that are empty are
// removed.
func (r *Reservation) Release() {
	for _, path := range r.made {
		// What is not empty stays.
		_ = os.Remove(path)
	}
	if r.lock != nil {
		_ = r.lock.Close()
	}
}
