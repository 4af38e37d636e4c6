package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// nameless opens a file in the directory of path that has no name until link gives it one, so that a process that is
// killed while it writes leaves nothing. Errors name path. It is nil where the file system has no such files (open(2),
// O_TMPFILE).
func nameless(path string) *os.File {
	descriptor, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(descriptor), path)
}

// link gives a nameless file a hidden name beside path, which nothing has.
func link(file *os.File, path string) (name string, err error) {
	from := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	for number := range mostNames {
		name = hidden(path, fmt.Sprintf("%d-%d", os.Getpid(), number))
		if err = unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); !errors.Is(err, unix.EEXIST) {
			break
		}
	}
	return name, err
}

// mostNames is more than a process writes files to one path at the same time.
const mostNames = 1000
