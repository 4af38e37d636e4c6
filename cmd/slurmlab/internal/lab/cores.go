package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// Core is a processor core that belongs to one cluster at a time, because
// virtual time is charged with everything that runs on it.
type Core struct {
	// Number is the engine's number of the core.
	Number int
	lock   *os.File
}

// Release gives the core back. The end of the process does so too.
func (c Core) Release() { _ = c.lock.Close() }

// lockDir must be the same directory for all users of the machine, so it does not
// depend on TMPDIR.
const lockDir = "/tmp"

// corePoll is the pause between two looks for a free core.
const corePoll = 2 * time.Second

// TakeCores takes up to want free cores, the last ones of the machine first,
// as interrupts mostly go to the first. While none is free it waits, and tells
// waiting who has each core whenever it has looked.
//
// A core is taken by a file lock of the process that starts the cluster and,
// for clusters that outlive it, by the label of a container.
func TakeCores(ctx context.Context, want int, waiting func([]Holder)) ([]Core, error) {
	all, err := EngineCores(ctx)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	for {
		taken, holders, err := tryCores(ctx, all, want)
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
func tryCores(ctx context.Context, all []int, want int) (taken []Core, holders []Holder, err error) {
	defer func() {
		if err != nil {
			ReleaseCores(taken)
			taken = nil
		}
	}()
	for _, number := range all {
		if len(taken) == want {
			return taken, holders, nil
		}
		lock, lockErr := lockCore(lockDir, number)
		if lockErr != nil {
			return taken, holders, lockErr
		}
		// The containers are listed after locking: a process that had the lock
		// before has started its container by now.
		clusters, listErr := Containers(ctx, "", "")
		if listErr != nil {
			if lock != nil {
				_ = lock.Close()
			}
			return taken, holders, listErr
		}
		held := slices.IndexFunc(clusters, func(c Container) bool { return c.confinedTo(number) })
		switch {
		case lock != nil && held < 0:
			taken = append(taken, Core{Number: number, lock: lock})
		case lock != nil:
			_ = lock.Close()
			holders = append(holders, Holder{Core: number, Cluster: &clusters[held]})
		default:
			h := Holder{Core: number, Process: lockOwner(lockName(lockDir, number))}
			if held >= 0 {
				h.Cluster = &clusters[held]
			}
			holders = append(holders, h)
		}
	}
	return taken, holders, nil
}

// ReleaseCores gives cores back.
func ReleaseCores(cores []Core) {
	for _, c := range cores {
		c.Release()
	}
}

func lockName(dir string, number int) string {
	return filepath.Join(dir, fmt.Sprintf("slurmlab-core-%d.lock", number))
}

// lockCore returns nil for a core that another process has.
func lockCore(dir string, number int) (*os.File, error) {
	name := lockName(dir, number)
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

// Processors is the number of processors of the machine that the engine runs on. Each
// hardware thread counts, and they are numbered from 0.
func Processors(ctx context.Context) (int, error) {
	answer, err := ask(ctx, func(ctx context.Context, docker *client.Client) (client.SystemInfoResult, error) {
		return docker.Info(ctx, client.InfoOptions{})
	})
	return answer.Info.NCPU, err
}

// EngineCores lists the processor cores of the machine that the engine runs
// on, one hardware thread of each: two threads of one core slow each other down.
func EngineCores(ctx context.Context) ([]int, error) {
	threads, err := Processors(ctx)
	if err != nil {
		return nil, err
	}
	var cores []int
	for number := range threads {
		if firstThread("/sys/devices/system/cpu", number) {
			cores = append(cores, number)
		}
	}
	return cores, nil
}

// firstThread says whether a hardware thread is the first of its core. Where
// this machine does not tell, as when the engine runs in a virtual machine of
// its own, each thread counts as a core.
func firstThread(sys string, number int) bool {
	if runtime.GOOS != "linux" {
		return true
	}
	list, err := os.ReadFile(filepath.Join(sys, fmt.Sprintf("cpu%d/topology/thread_siblings_list", number)))
	if err != nil {
		return true
	}
	// "0,8" or "0-1", ascending.
	first := strings.FieldsFunc(string(list), func(r rune) bool { return r < '0' || r > '9' })
	return len(first) == 0 || first[0] == strconv.Itoa(number)
}
