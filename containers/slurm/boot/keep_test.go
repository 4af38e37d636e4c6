package boot

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// A shell is kept with its loader and what the loader finds for it, a script by itself, and a program that is not there
// not at all.
func TestFiles(t *testing.T) {
	bash := hosttest.Program(t, "bash")
	dir, plugins := t.TempDir(), t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	plugin := filepath.Join(plugins, "auth.so")
	if err := os.WriteFile(plugin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := programFiles([]string{bash, script, "no-such-program", filepath.Join(dir, "nothing")}, []string{plugins})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{bash, script, plugin} {
		if !slices.Contains(files, want) {
			t.Errorf("%s is not among %q", want, files)
		}
	}
	for _, want := range []string{"libc.so", "ld-linux"} {
		if !slices.ContainsFunc(files, func(name string) bool { return strings.Contains(name, want) }) {
			t.Errorf("no %s among %q", want, files)
		}
	}
	if _, err = programFiles(nil, []string{filepath.Join(dir, "nothing")}); err == nil {
		t.Error("no error for a directory that is not there")
	}
}

// What is kept stays in memory when the kernel is asked to drop it (posix_fadvise(2), POSIX_FADV_DONTNEED: pages that
// are mapped stay), and what nobody keeps does not.
func TestKeptFilesStayInMemory(t *testing.T) {
	dir := t.TempDir()
	name := func(kept string) string { return filepath.Join(dir, kept) }
	const size = 1 << 20
	for _, kept := range []string{"kept", "dropped"} {
		file, err := os.Create(name(kept))
		if err == nil {
			_, err = file.Write(bytes.Repeat([]byte("x"), size))
		}
		// Dirty pages are not dropped.
		if err == nil {
			err = file.Sync()
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	drop(t, name("kept"))
	if got, err := keepFiles([]string{name("kept"), name("missing")}); err != nil || got != size {
		t.Errorf("kept %d bytes, %v, want %d", got, err, size)
	}
	drop(t, name("kept"))
	if got := inMemory(t, name("kept")); got < 1 {
		t.Errorf("a part %g of the kept file is in memory, want all", got)
	}
	drop(t, name("dropped"))
	if got := inMemory(t, name("dropped")); got > 0 {
		hosttest.Elsewhere(t, "on a file system that drops what nobody keeps from memory")
	}
}

func drop(t *testing.T, name string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err = unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

// inMemory is the part of a file that mincore(2) finds in memory.
func inMemory(t *testing.T, name string) float64 {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(mapped) }()
	pages := make([]byte, (len(mapped)+os.Getpagesize()-1)/os.Getpagesize())
	if err = mincore(mapped, pages); err != nil {
		t.Fatal(err)
	}
	there := 0
	for _, p := range pages {
		there += int(p & 1)
	}
	return float64(there) / float64(len(pages))
}

func mincore(mapped, pages []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mapped[0])), uintptr(len(mapped)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return errno
	}
	return nil
}
