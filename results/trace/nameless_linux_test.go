package trace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// A file system without a free inode, and one that is read-only (issue 41): the error names the file and says why, and
// what was there before stays.
func TestWriteAtomicWhereNoFileCanBeMade(t *testing.T) {
	hosttest.Root(t, "mounts a file system")
	for name, tt := range map[string]struct {
		options string
		flags   uintptr
		want    error
	}{
		"full inode table": {"nr_inodes=2", 0, unix.ENOSPC},
		"read-only":        {"nr_inodes=9", unix.MS_REMOUNT | unix.MS_RDONLY, unix.EROFS},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := unix.Mount("test", dir, "tmpfs", 0, tt.options); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
			old := filepath.Join(dir, "old.csv")
			if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.flags != 0 {
				if err := unix.Mount("test", dir, "tmpfs", tt.flags, ""); err != nil {
					t.Fatal(err)
				}
			}
			err := WriteAtomic(old, func(w io.Writer) error {
				_, err := io.WriteString(w, "new")
				return err
			})
			if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "write "+old+": ") {
				t.Errorf("got %v, want %v with the name of the file", err, tt.want)
			}
			if text, err := os.ReadFile(old); err != nil || string(text) != "old" {
				t.Errorf("the file has %q, %v", text, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("there are %v, %v, want the old file alone", entries, err)
			}
		})
	}
}
