package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// spare is the memory that is left to a container without memory.
const spare = 4 << 20

// noMemory limits a container to little more than what the kernel cannot take away from it,
// and then has a process ask for more until the kernel kills one. A limit above the pages of
// files would be no fault: the kernel gives them up.
func noMemory(ctx context.Context, container string) error {
	stat, err := docker(ctx, "exec", container, "sh", "-c", "cat /sys/fs/cgroup/memory.stat 2>/dev/null || cat /sys/fs/cgroup/memory/memory.stat")
	if err != nil {
		return err
	}
	least := kept(stat)
	for limit := least + spare; ; limit += spare {
		text := strconv.FormatInt(limit, 10)
		if _, err = docker(ctx, "update", "--memory", text, "--memory-swap", text, container); err == nil {
			break
		}
		// The kernel refuses a limit that it cannot reach at once.
		if limit > 2*least+16*spare {
			return err
		}
	}
	// Without an end of a line, tail keeps all that it reads.
	_, err = docker(ctx, "exec", container, "tail", "/dev/zero")
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	events, err := docker(ctx, "exec", container, "sh", "-c", "cat /sys/fs/cgroup/memory.events 2>/dev/null || cat /sys/fs/cgroup/memory/memory.oom_control")
	if err == nil && counted(events, "oom_kill") == 0 {
		return fmt.Errorf("the kernel has killed nothing: %s", events)
	}
	// A container that has ended with its processes cannot be asked.
	return nil
}

// kept is the memory of a control group of version 2 or 1 that the kernel cannot take away,
// without swap: what is no page of a file on a disk.
func kept(stat string) int64 {
	return max(counted(stat, "anon")+counted(stat, "shmem")+counted(stat, "kernel"), counted(stat, "total_rss")+counted(stat, "total_shmem"))
}

// counted is the number after a key in lines of them, 0 without the key.
func counted(lines, key string) int64 {
	for line := range strings.Lines(lines) {
		if rest, found := strings.CutPrefix(line, key+" "); found {
			// What is no number counts as no key.
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}
