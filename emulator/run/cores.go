package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Core is a processor core that belongs to one cluster at a time, because
// virtual time is charged with everything that runs on it.
type Core struct {
	// On is the Engine whose core it is.
	On Engine
	// Number is the kernel's number of the core.
	Number int
	lock   *os.File
}

// Release gives the core back. The end of the process does so too.
func (c Core) Release() { _ = c.lock.Close() }

// lockDir must be the same directory for all users of the machine, so it does not
// depend on TMPDIR.
const lockDir = "/tmp"

// cpuDir is where the kernel describes the processors.
const cpuDir = "/sys/devices/system/cpu"

// siblingsFile lists the threads of the core of a processor, below its directory there.
const siblingsFile = "topology/thread_siblings_list"

// corePoll is the pause between two looks for a free core. Each look asks the engine for its clusters.
const corePoll = 500 * time.Millisecond

// TakeCores takes up to want free cores, the last ones of the machine first,
// as interrupts mostly go to the first. While none is free it waits, and tells
// waiting who has each core whenever it has looked.
//
// A core is taken by a file lock of the process that starts the cluster and,
// for clusters that outlive it, by the label of a container.
func TakeCores(ctx context.Context, on Engine, want int, waiting func([]Holder)) ([]Core, error) {
	all, err := Cores(ctx, on)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	return takeFrom(ctx, []source{{on: on, numbers: all}}, want, waiting)
}

// source is where cores are taken from.
type source struct {
	on Engine
	// machine is the name of the machine whose cores they are, empty for this one, and most how many clusters it
	// has room for; 0 for one on each core.
	machine string
	most    int
	// numbers of the cores in the order in which they are taken.
	numbers []int
}

// takeFrom takes up to want free cores, one of each source in turn. It waits as TakeCores does.
func takeFrom(ctx context.Context, sources []source, want int, waiting func([]Holder)) ([]Core, error) {
	for {
		taken, holders, err := tryCores(ctx, sources, want)
		if err != nil || len(taken) > 0 {
			return taken, err
		}
		waiting(holders)
		select {
		case <-time.After(corePoll):
		case <-ctx.Done():
			return nil, stopReason(ctx)
		}
	}
}

// tryCores takes what is free now, and no more than want even for a moment, so
// that somebody else who starts meanwhile sees all that is left. It also returns who
// has the cores that are not free.
func tryCores(ctx context.Context, sources []source, want int) (taken []Core, holders []Holder, err error) {
	defer func() {
		if err != nil {
			ReleaseCores(taken)
			taken = nil
		}
	}()
	next, busy := make([]int, len(sources)), map[string]int{}
	for more := true; more; {
		more = false
		for i, s := range sources {
			for found := false; !found && next[i] < len(s.numbers) && len(taken) < want && (s.most == 0 || busy[s.machine] < s.most); next[i]++ {
				core, holder, tryErr := s.try(ctx, s.numbers[next[i]], sources)
				switch {
				case tryErr != nil:
					return taken, holders, tryErr
				case holder != nil:
					holders = append(holders, *holder)
				default:
					taken, found, more = append(taken, core), true, true
					busy[s.machine]++
				}
			}
		}
	}
	return taken, holders, nil
}

// try takes a core, or returns its holder. Clusters of each source on the same machine count.
func (s source) try(ctx context.Context, number int, sources []source) (Core, *Holder, error) {
	lock, err := lockCore(lockDir, s.machine, number)
	if err != nil {
		return Core{}, nil, err
	}
	// The containers are listed after locking: a process that had the lock
	// before has started its container by now.
	var held *Container
	for _, other := range sources {
		if other.machine != s.machine {
			continue
		}
		clusters, listErr := other.on.Clusters(ctx, "", "")
		if listErr != nil {
			if lock != nil {
				_ = lock.Close()
			}
			return Core{}, nil, listErr
		}
		if i := slices.IndexFunc(clusters, func(c Container) bool { return c.confinedTo(number) }); i >= 0 {
			held = &clusters[i]
		}
	}
	switch {
	case lock != nil && held == nil:
		return Core{On: s.on, Number: number, lock: lock}, nil, nil
	case lock != nil:
		_ = lock.Close()
		return Core{}, &Holder{Core: number, Machine: s.machine, Cluster: held}, nil
	default:
		return Core{}, &Holder{Core: number, Machine: s.machine, Cluster: held, Process: lockOwner(lockName(lockDir, s.machine, number))}, nil
	}
}

// ReleaseCores gives cores back.
func ReleaseCores(cores []Core) {
	for _, c := range cores {
		c.Release()
	}
}

// lockName is the file whose lock is a core of a machine, of this one without a name.
func lockName(dir, machine string, number int) string {
	if machine != "" {
		machine = url.PathEscape(machine) + "-"
	}
	return filepath.Join(dir, fmt.Sprintf("slurmlab-core-%s%d.lock", machine, number))
}

// lockCore returns nil for a core that another process has.
func lockCore(dir, machine string, number int) (*os.File, error) {
	name := lockName(dir, machine, number)
	// Linux lets nobody create a file that is there and belongs to another user
	// (fs.protected_regular), so that is tried second.
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.OpenFile(name, os.O_CREATE|os.O_RDONLY, 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("lock core %d: %w", number, err)
	}
	locked, err := tryLock(file)
	if err != nil || !locked {
		return nil, err
	}
	return file, nil
}

// Cores lists the processor cores that clusters may run on, one hardware thread of each:
// two threads of one core slow each other down.
func Cores(ctx context.Context, on Engine) ([]int, error) {
	threads, err := on.Processors(ctx)
	if err != nil {
		return nil, err
	}
	return firstThreads(cpuDir, threads), nil
}

// firstThreads keeps of each core the first of the threads: a task of a job may have no other thread of its core.
// Where this machine does not tell, as when the engine runs in a virtual machine of its own, each thread counts as
// a core.
func firstThreads(sys string, threads []int) []int {
	return firstOf(threads, func(number int) int { return lowestSibling(sys, number) })
}

// firstOf keeps the first thread of each core, which lowest finds of a thread.
func firstOf(threads []int, lowest func(number int) int) []int {
	cores := map[int]bool{}
	return slices.DeleteFunc(slices.Clone(threads), func(number int) bool {
		core := lowest(number)
		taken := cores[core]
		cores[core] = true
		return taken
	})
}

// lowestSibling is the lowest thread of the core of a thread, by which its core is known.
func lowestSibling(sys string, number int) int {
	if runtime.GOOS != "linux" {
		return number
	}
	list, err := os.ReadFile(filepath.Join(sys, "cpu"+strconv.Itoa(number), siblingsFile))
	if err != nil {
		return number
	}
	return lowestOf(string(list), number)
}

// lowestOf is the lowest thread of a list such as "0,8" or "0-1", which is ascending; the thread itself where there is no list.
func lowestOf(list string, number int) int {
	first := strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' })
	if len(first) == 0 {
		return number
	}
	lowest, err := strconv.Atoi(first[0])
	if err != nil {
		return number
	}
	return lowest
}
