package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// watcher looks at the processes of one run: slurmlab, and all of its cluster's container.
// It reads /proc, so that it needs root and a Docker engine on this machine.
type watcher struct {
	began time.Time
	cli   int32
	// container is its id, empty until it is there.
	container string
	// used is the processor time of each process seen so far, by its id and start, under
	// its name.
	used map[string]map[string]float64
	// log is slurmctld's completion log, ended the lines read of it so far.
	log   *os.File
	ended int
	all   []sample
}

// onHost is the name of the only process that is not in the cluster's container.
const onHost = "slurmlab"

// others is the name of the processes that come and go, such as sbatch.
const others = "others"

// lasting are the programs whose processes live as long as the cluster, by their commands.
func lasting() []string {
	return []string{
		"mariadbd", "slurmdbd", "slurmctld", "slurmlabd boot", "slurmlabd run", "slurmlabd runner", "slurmlabd solver-worker",
		"slurmchannel", "scontrol", "vclockd", "slurmd",
	}
}

// nameOf is the name of a process of the cluster, by its command line.
func nameOf(argv []string) string {
	for i, word := range argv {
		argv[i] = filepath.Base(word)
	}
	command := strings.Join(argv, " ") + " "
	for _, name := range lasting() {
		// scontrol is the agent's when it has no argument, and a question otherwise.
		if at := strings.Index(" "+command, " "+name+" "); at >= 0 && (name != "scontrol" || len(argv) == 1) {
			return name
		}
	}
	return others
}

// watch looks every interval until ctx ends.
func (w *watcher) watch(ctx context.Context, owner string, interval time.Duration) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if w.container == "" {
			w.container = find(ctx, owner)
		}
		if w.container != "" {
			if err := w.look(); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// find is the id of the container of a run, empty while there is none.
func find(ctx context.Context, dir string) string {
	out, err := exec.CommandContext(ctx, "docker", "ps", "--no-trunc", "--format", "{{.ID}} {{.Label \"org.slurmlab.owner\"}}").Output()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(out)) {
		id, owner, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, path, _ := strings.Cut(owner, ":"); path == dir {
			return id
		}
	}
	return ""
}

// look adds a sample of each name.
func (w *watcher) look() error {
	all, err := process.Processes()
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	found := map[string]*sample{}
	for _, p := range all {
		name, own := w.owns(p)
		if !own {
			continue
		}
		// A process that ends meanwhile has nothing any more.
		memory, memoryErr := p.MemoryInfo()
		files, filesErr := p.NumFDs()
		times, timesErr := p.Times()
		start, startErr := p.CreateTime()
		threads, threadsErr := p.NumThreads()
		if errors.Join(memoryErr, filesErr, timesErr, startErr, threadsErr) != nil {
			continue
		}
		if name == "slurmctld" {
			w.open(p.Pid)
		}
		if found[name] == nil {
			found[name] = &sample{Process: name}
		}
		s := found[name]
		s.Count, s.Memory, s.Descriptors = s.Count+1, s.Memory+int(memory.RSS>>10), s.Descriptors+int(files)
		s.Threads += int(threads)
		if w.used[name] == nil {
			w.used[name] = map[string]float64{}
		}
		w.used[name][fmt.Sprint(p.Pid, start)] = times.User + times.System
	}
	if err := w.count(); err != nil {
		return err
	}
	now := time.Since(w.began).Seconds()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s := found[name]
		s.Seconds, s.Ended = now, w.ended
		for _, seconds := range w.used[name] {
			s.CPU += seconds
		}
		w.all = append(w.all, *s)
	}
	return nil
}

// owns names a process of the run.
func (w *watcher) owns(p *process.Process) (name string, own bool) {
	if p.Pid == w.cli {
		return onHost, true
	}
	group, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", p.Pid))
	if err != nil || !bytes.Contains(group, []byte(w.container)) {
		return "", false
	}
	argv, err := p.CmdlineSlice()
	return nameOf(argv), err == nil && len(argv) > 0
}

// open opens the completion log through the file system of slurmctld. It is there as soon
// as a job has ended.
func (w *watcher) open(pid int32) {
	if w.log == nil {
		w.log, _ = os.Open(fmt.Sprintf("/proc/%d/root%s", pid, conf.CompletionLog))
	}
}

// count reads what was added to the completion log.
func (w *watcher) count() error {
	if w.log == nil {
		return nil
	}
	added, err := io.ReadAll(w.log)
	if err != nil {
		return fmt.Errorf("read completion log: %w", err)
	}
	w.ended += bytes.Count(added, []byte("\n"))
	return nil
}
