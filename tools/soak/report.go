package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/table"
)

// row is what one process of a run took.
type row struct {
	policy, process string
	growth          growth
	// own is growth without the descriptors that vclockd has of other processes' threads.
	own growth
	// second and last are the processor seconds of the second and of the last part of the
	// jobs, wobble is how much those of two parts differ by chance.
	second, last, wobble float64
}

// driver is the process of driver and agent.
const driver = "slurmlabd run"

// clockd keeps filesPerThread files open of each thread in the cluster
// (containers/slurm/vclock/daemon/threads.c).
const (
	clockd         = "vclockd"
	filesPerThread = 3
)

// moreThreads is how many threads a process may have more at the end. Go starts a thread when more of its goroutines
// are in system calls at once than ever before, and keeps it. Such a record is rarer each time, and there are at most
// as many threads as goroutines.
const moreThreads = 3

// grows says what of it grew with the jobs that had ended, "" for nothing.
func (r row) grows() string {
	switch {
	case r.growth.ThreadsLast > r.growth.ThreadsFirst+moreThreads:
		return fmt.Sprintf("threads from %.1f to %.1f", r.growth.ThreadsFirst, r.growth.ThreadsLast)
	case !r.own.flat():
		return fmt.Sprintf("memory from %.0f to %.0f KiB, descriptors from %.1f to %.1f with a wobble of %.1f",
			r.own.MemoryFirst, r.own.MemoryLast, r.own.DescriptorsFirst, r.own.DescriptorsLast, r.own.Wobble)
	case r.process == driver && r.last > r.second+2*r.wobble:
		return fmt.Sprintf("processor time from %.1f to %.1f s, where two parts of the jobs differ by %.2f s by chance", r.second, r.last, r.wobble)
	}
	return ""
}

// errUnseen says that a look of which the verdict is made is missing.
var errUnseen = errors.New("processes were not seen from warm-up to end")

// rowsOf are the rows of one run. Processes that come and go have no row; without those that
// every run has, nothing could be said of it.
func rowsOf(policy string, jobs, part int, all []sample) ([]row, error) {
	var rows []row
	own := ownFiles(all)
	unseen := []string{driver, "slurmctld", "slurmdbd", "mariadbd", clockd}
	for _, name := range processes(all) {
		r := row{policy: policy, process: name}
		var seen, second, last bool
		r.growth, seen = growthOf(all, name, jobs)
		r.own, _ = growthOf(own, name, jobs)
		r.second, second = cost(all, name, part, 2*part)
		ended := endedAt(all, name)
		r.last, last = cost(all, name, ended-part, ended)
		r.wobble = costWobble(all, name, part)
		if name != others && seen && second && last {
			rows = append(rows, r)
			unseen = slices.DeleteFunc(unseen, func(u string) bool { return u == name })
		}
	}
	if len(unseen) > 0 {
		return rows, fmt.Errorf("%w: %s", errUnseen, strings.Join(unseen, ", "))
	}
	return rows, nil
}

// readTable is the table of a file of samples, soak-POLICY.csv.
func readTable(path string, part int) ([]row, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	defer func() { _ = file.Close() }()
	all, err := readCSV(file, path)
	if err != nil {
		return nil, err
	}
	policy := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".csv"), "soak-")
	ended := 0
	for _, s := range all {
		ended = max(ended, s.Ended)
	}
	if part < 1 || ended < 3*part {
		return nil, fmt.Errorf("%s: %d jobs ended, want at least three times --part, %d", path, ended, part)
	}
	return rowsOf(policy, ended, part, all)
}

// verdict is errGrows with everything that grew, if something did.
func verdict(rows []row) error {
	var grown []string
	for _, r := range rows {
		if why := r.grows(); why != "" {
			grown = append(grown, fmt.Sprintf("%s, %s: %s", r.policy, r.process, why))
		}
	}
	if len(grown) > 0 {
		return fmt.Errorf("%w: %s", errGrows, strings.Join(grown, "; "))
	}
	return nil
}

// ownFiles subtracts the files that vclockd has open of other threads from its descriptors: the number of threads of
// each process is reported by itself.
func ownFiles(all []sample) []sample {
	threads := map[float64]int{}
	for _, s := range all {
		if s.Process != onHost {
			threads[s.Seconds] += s.Threads
		}
	}
	all = slices.Clone(all)
	for i, s := range all {
		if s.Process == clockd {
			all[i].Descriptors -= filesPerThread * threads[s.Seconds]
		}
	}
	return all
}

// growthTable has the rows as people read them.
func growthTable(part int, rows []row) table.View {
	header := []string{
		"policy", "process", "MiB, second fifth", "last fifth", "descriptors, second fifth", "last fifth", "threads, second fifth", "last fifth",
		fmt.Sprintf("CPU s, second %d jobs", part), fmt.Sprintf("last %d", part),
	}
	var texts [][]string
	for _, r := range rows {
		g := r.growth
		cells := []string{r.policy, r.process}
		for _, v := range []float64{
			g.MemoryFirst / 1024, g.MemoryLast / 1024, g.DescriptorsFirst, g.DescriptorsLast, g.ThreadsFirst, g.ThreadsLast, r.second, r.last,
		} {
			cells = append(cells, table.Fixed(v, 1))
		}
		texts = append(texts, cells)
	}
	return table.Texts(2, header, texts)
}

// keep writes the samples and their picture to files that begin with path.
func keep(path, policy string, jobs int, all []sample) error {
	panels := []plot.Lines{{Title: "Memory", Unit: "MiB"}, {Title: "Descriptors", Unit: "open files"}, {Title: "Processor time", Unit: "s"}}
	names := slices.DeleteFunc(processes(all), func(name string) bool { return name == others })
	for _, name := range names {
		lines := make([][]metric.Point, len(panels))
		for _, s := range samplesOf(all, name) {
			for i, v := range []float64{float64(s.Memory) / 1024, float64(s.Descriptors), s.CPU} {
				lines[i] = append(lines[i], metric.Point{T: float64(s.Ended), V: v})
			}
		}
		for i := range panels {
			panels[i].Points = append(panels[i].Points, lines[i])
		}
	}
	for suffix, write := range map[string]func(io.Writer) error{
		".csv": func(w io.Writer) error { return writeCSV(w, all) },
		".svg": func(w io.Writer) error {
			return plot.Curves(w, "Processes of a run under "+policy, "jobs that have ended", jobs, names, panels...)
		},
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			return err
		}
		if err := os.WriteFile(path+suffix, out.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write samples: %w", err)
		}
	}
	return nil
}
