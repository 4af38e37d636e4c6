package clock

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

var errNoPage = errors.New("not the page of a jump clock")

// attach maps a published page for the life of the process.
func attach(path string) (*shared, error) {
	p, err := mapPage(path)
	if err != nil {
		return nil, fmt.Errorf("attach to clock: %w", err)
	}
	if p.magic.Load() != pageMagic {
		return nil, fmt.Errorf("attach to clock: %s: %w", path, errNoPage)
	}
	if p.version != pageVersion || p.slots != pageSlots {
		return nil, fmt.Errorf("attach to clock: %s has version %d with %d slots, want %d with %d",
			path, p.version, p.slots, pageVersion, pageSlots)
	}
	return &shared{page: p}, nil
}

// mapPage is the one place where memory of other processes becomes a Go value.
// It stays valid because it is never unmapped; it lies outside Go's heap, so
// the race detector takes no notice of it.
func mapPage(path string) (*page, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	const size = int(unsafe.Sizeof(page{}))
	if info.Size() < int64(size) {
		// A process that reads mapped memory beyond the end of the file dies of SIGBUS.
		return nil, fmt.Errorf("%s: %w", path, errNoPage)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	return (*page)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}
