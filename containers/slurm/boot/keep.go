package boot

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// programFiles are the files of programs in PATH, with the libraries that the loader finds for them, and those in directories.
func programFiles(programs, directories []string) ([]string, error) {
	var all []string
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find program: %w", err)
		}
		libraries, err := libraries(path)
		if err != nil {
			return nil, fmt.Errorf("find libraries of %s: %w", path, err)
		}
		all = append(append(all, path), libraries...)
	}
	for _, dir := range directories {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("find plugins: %w", err)
		}
		for _, e := range entries {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// libraries are the files that the loader of a program maps, and the loader; none for a script, or a program that is
// linked statically.
func libraries(path string) ([]string, error) {
	program, err := elf.Open(path)
	var format *elf.FormatError
	if errors.As(err, &format) || errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = program.Close() }()
	for _, p := range program.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		text, err := io.ReadAll(p.Open())
		if err != nil {
			return nil, err
		}
		loader := strings.TrimRight(string(text), "\x00")
		out, err := exec.Command(loader, "--list", path).Output()
		if err != nil {
			return nil, fmt.Errorf("run %s --list: %w", loader, err)
		}
		return append(listed(string(out)), loader), nil
	}
	return nil, nil
}

// listed reads lines such as "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)" (ld.so(8)).
func listed(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		_, rest, found := strings.Cut(line, " => ")
		if path, _, _ := strings.Cut(rest, " ("); found && strings.HasPrefix(path, "/") {
			all = append(all, path)
		}
	}
	return all
}

// keepFiles reads files into memory and keeps them there as long as this process lives. It returns how many bytes they have.
func keepFiles(files []string) (bytes int64, err error) {
	for _, name := range files {
		size, err := keepFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return bytes, fmt.Errorf("keep %s in memory: %w", name, err)
		}
		bytes += size
	}
	return bytes, nil
}

func keepFile(name string) (int64, error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return 0, err
	}
	// MAP_POPULATE reads the file. The mapping stays when the file is closed.
	_, err = unix.MmapPtr(int(file.Fd()), 0, nil, uintptr(info.Size()), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	return info.Size(), err
}
