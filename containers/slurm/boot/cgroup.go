package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// ErrExceeded is what all errors of Exceeded are.
var ErrExceeded = errors.New("a limit of the cluster's container was exceeded")

// Cgroup is the control group of a container, of version 1 or 2, and its file systems in memory. It tells, inside the
// container, that the cluster has come up against a limit: memory, processes, or those file systems.
//
// The kernel's counters only grow, so that what happened between two looks is seen at the second one. A kernel without a
// counter has no limit that could be exceeded unseen: the daemon that dies of it is named by others.
type Cgroup struct {
	// Root is where the control groups are mounted, empty where none is the cluster's.
	Root string
	// Files are the directories that are file systems in memory. Scratch are the ones that the cluster itself does not
	// write to: a full one stops users' programs and jobs alone.
	Files, Scratch []string
	// most is the largest Memory that Watch has seen, nil where nobody asks for it.
	most *atomic.Int64
}

// OwnCgroup is the group of the container that this process is in. Without root there is none: what is mounted is the
// machine's.
func OwnCgroup() Cgroup {
	root := "/sys/fs/cgroup"
	if os.Getuid() != 0 {
		root = ""
	}
	return Cgroup{Root: root, Files: []string{"/var/lib/mysql", "/var/spool"}, Scratch: []string{"/tmp", "/var/tmp", "/dev/shm"}, most: &atomic.Int64{}}
}

// cgroupCounter is a file with lines "KEY NUMBER" and one with the limit, in version 2 and
// version 1 of control groups.
type cgroupCounter struct {
	events, limit []string
	key           string
	text          func(count, limit int64) string
}

func cgroupCounters() []cgroupCounter {
	return []cgroupCounter{
		{
			[]string{"memory.events", "memory/memory.oom_control"}, []string{"memory.max", "memory/memory.limit_in_bytes"}, "oom_kill",
			func(count, limit int64) string {
				return fmt.Sprintf("out of memory: the kernel killed %d of the cluster's processes at the limit of %.1f GiB; --memory gives it more", count, float64(limit)/(1<<30))
			},
		},
		{
			[]string{"pids.events", "pids/pids.events"}, []string{"pids.max", "pids/pids.max"}, "max",
			func(count, limit int64) string {
				return fmt.Sprintf("out of processes: %d could not be started at the limit of %d processes and threads", count, limit)
			},
		},
	}
}

// leastFree is the part of a file system in memory that must be left. MariaDB waits for
// room without a word when there is none.
const leastFree = 0.02

// Exceeded returns a limit that was exceeded since the container began, nil for none.
func (g Cgroup) Exceeded() error {
	for _, c := range cgroupCounters() {
		if g.Root == "" {
			break
		}
		count, known := g.number(c.events, c.key)
		if !known || count == 0 {
			continue
		}
		limit, _ := g.number(c.limit, "")
		return fmt.Errorf("%w: %s", ErrExceeded, c.text(count, limit))
	}
	for _, dir := range g.Files {
		if size, is := full(dir); is {
			return fmt.Errorf("%w: the files in %s, which are in memory, fill their %d MiB", ErrExceeded, dir, size>>20)
		}
	}
	return nil
}

// full says that a directory is a file system in memory without room, and of how many bytes.
func full(dir string) (size uint64, is bool) {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil || fs.Type != unix.TMPFS_MAGIC || float64(fs.Bavail) >= leastFree*float64(fs.Blocks) {
		return 0, false
	}
	return fs.Blocks * uint64(fs.Bsize), true
}

// Crowded has a sentence for each of Scratch that is full.
func (g Cgroup) Crowded() []string {
	var all []string
	for _, dir := range g.Scratch {
		if size, is := full(dir); is {
			all = append(all, fmt.Sprintf("The files in %s fill their %d MiB: programs and jobs of users can write no more there.", dir, size>>20))
		}
	}
	return all
}

// Memory is what the programs of the group and its files in memory take, in bytes; false where the kernel does not
// say. The kernel's own peak (memory.peak, max_usage_in_bytes) would include the cache of files on the disk, which
// the kernel drops where memory is wanted.
func (g Cgroup) Memory() (bytes int64, known bool) {
	for _, keys := range [][2]string{{"anon", "shmem"}, {"total_rss", "total_shmem"}} {
		files := []string{"memory.stat", "memory/memory.stat"}
		programs, hasPrograms := g.number(files, keys[0])
		inMemory, hasFiles := g.number(files, keys[1])
		if g.Root != "" && hasPrograms && hasFiles {
			return programs + inMemory, true
		}
	}
	return 0, false
}

// MostMemory is the largest Memory that Watch has seen, or that is now; 0 where it is not known.
func (g Cgroup) MostMemory() int64 {
	now, _ := g.Memory()
	if g.most == nil {
		return now
	}
	for {
		before := g.most.Load()
		if now <= before {
			return before
		}
		if g.most.CompareAndSwap(before, now) {
			return now
		}
	}
}

// number reads the number after the key, or the only one, of the first of the files that
// is there.
func (g Cgroup) number(files []string, key string) (int64, bool) {
	if key != "" {
		key += " "
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(g.Root, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if rest, found := strings.CutPrefix(line, key); found {
				n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
				return n, err == nil
			}
		}
	}
	return 0, false
}

// cgroupInterval is the real time between two looks, each of which reads three small files.
const cgroupInterval = 500 * time.Millisecond

// Watch returns as soon as a limit was exceeded, or the context's cause when the context
// ends first. At each look it warns of what is Crowded.
func (g Cgroup) Watch(ctx context.Context, warn func(string)) error {
	tick := time.NewTicker(cgroupInterval)
	defer tick.Stop()
	for {
		if err := g.Exceeded(); err != nil {
			return err
		}
		for _, text := range g.Crowded() {
			warn(text)
		}
		g.MostMemory()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
