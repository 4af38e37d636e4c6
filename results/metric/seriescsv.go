package metric

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteSeries writes series.csv: a row per instant at which something changes,
// with the values from then on. Times are virtual seconds since the first
// submission. used_gpus and fragmented_gpus are empty on a machine without GPUs
// or jobs that use them; fragmented_gpus where jobs have parts of them as well.
func WriteSeries(w io.Writer, s Series) error {
	columns := []struct {
		name   string
		points []Point
	}{
		{"used_cores", s.UsedCores}, {"used_gpus", s.UsedGPUs}, {"queued_jobs", s.Queue}, {"fragmented_gpus", s.FragmentedGPUs},
	}
	header := []string{"time_s"}
	var times []float64
	for _, c := range columns {
		header = append(header, c.name)
		for _, p := range c.points {
			times = append(times, p.T)
		}
	}
	slices.Sort(times)
	out := csv.NewWriter(w)
	rows := [][]string{header}
	next := make([]int, len(columns))
	for _, t := range slices.Compact(times) {
		row := []string{float(t)}
		for i, c := range columns {
			for next[i] < len(c.points) && c.points[next[i]].T <= t {
				next[i]++
			}
			switch {
			case len(c.points) == 0:
				row = append(row, "")
			case next[i] == 0:
				row = append(row, "0")
			default:
				row = append(row, float(c.points[next[i]-1].V))
			}
		}
		rows = append(rows, row)
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write series: %w", err)
	}
	return nil
}

func float(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
