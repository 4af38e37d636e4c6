package workloads

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// ArrivalEndings returns the endings of the files that LoadArrivals reads.
func ArrivalEndings() []string { return []string{".csv", ".txt"} }

// LoadArrivals reads when jobs arrived elsewhere, in whole seconds and in order,
// for WithArrivals:
//
//   - .csv: the arrivals of a workload in the form of WriteCSV, such as an
//     imported trace
//   - .txt: a number of seconds a line, none smaller than the one before;
//     everything after # is a comment
//
// The error of a bad file lists its faults with their lines.
func LoadArrivals(file string) ([]int, error) {
	ending := filepath.Ext(file)
	if !slices.Contains(ArrivalEndings(), ending) {
		return nil, fmt.Errorf("read arrivals: got file %s, allowed endings %s", faults.Quote(file), strings.Join(ArrivalEndings(), ", "))
	}
	data, err := readFile(file)
	if err != nil {
		return nil, fmt.Errorf("read arrivals: %w", err)
	}
	if ending == ".txt" {
		return parseArrivals(file, data)
	}
	jobs, _, _, err := parseCSV(file, data)
	if err != nil {
		return nil, err
	}
	times := make([]int, len(jobs))
	for i, j := range jobs {
		times[i] = j.Arrival
	}
	slices.Sort(times)
	return times, nil
}

func parseArrivals(file string, data []byte) ([]int, error) {
	rep := faults.List{Name: file}
	var times []int
	earliest, n := 0, 0
	for line, text := range numberedLines(data) {
		text, _, _ = strings.Cut(text, "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		at, ok := sbatch.WholeNumber(text)
		if !ok || at < earliest || at > maxSeconds {
			rep.Add(line, faults.At("arrival", faults.Got(text), "whole seconds in "+faults.Between(earliest, maxSeconds)))
			continue
		}
		if n++; n <= MaxJobs {
			times = append(times, at)
		}
		earliest = at
	}
	if rep.Len() == 0 && (n == 0 || n > MaxJobs) {
		rep.Add(0, faults.At("arrivals", faults.Got(n), faults.Between(1, MaxJobs)))
	}
	return times, rep.Err()
}

// WithArrivals returns the workload with the arrival process FromTrace and these
// times, under a name that ends in "-arrivals". It is an error for a workload
// whose jobs have arrivals of their own, a list, and for times that are not in
// order.
func (w Workload) WithArrivals(times []int) (Workload, error) {
	arrival := Arrival{Process: FromTrace, Times: times}
	if faults := arrival.faults(); len(faults) > 0 {
		return Workload{}, fmt.Errorf("override arrivals: %w", faults[0])
	}
	name := w.name + "-arrivals"
	switch spec := w.spec.(type) {
	case Spec:
		spec.Name, spec.Arrival = name, arrival
		return Workload{name: name, spec: spec}, nil
	case ESP:
		// The minimum run time was published for ESP's own arrivals only.
		spec.MinimumRuntime = Duration{}
		spec.Name, spec.Arrival = name, arrival
		return Workload{name: name, spec: spec}, nil
	default:
		return Workload{}, fmt.Errorf("override arrivals: got workload %s, a fixed list of jobs, allowed generated workloads", w.name)
	}
}
