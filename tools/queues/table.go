package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// column is a figure of a cell, whose ratio between two policies is reported.
type column struct {
	name string
	of   func(figures) float64
	// better is Neither for a column that is not counted.
	better metric.Direction
	// key is that of metrics.json, by which a column has its margin; empty without one.
	key string
}

// sign is 1 where more is better, -1 where less is.
func (c column) sign() int {
	if c.better == metric.Lower {
		return -1
	}
	return 1
}

func columns() []column {
	return []column{
		{"waiting", func(f figures) float64 { return f.Waiting }, metric.Lower, "waiting_s"},
		{"bounded slowdown", func(f figures) float64 { return f.BoundedSlowdown }, metric.Lower, "bounded_slowdown"},
		{"utilisation", func(f figures) float64 { return f.Utilisation }, metric.Higher, "cpu_utilization"},
		{"fairness", func(f figures) float64 { return f.Fairness }, metric.Higher, ""},
		{"relative fairness", func(f figures) float64 {
			if f.Arrival == nil {
				return 0
			}
			return f.Arrival.Relative
		}, metric.Higher, ""},
		{"worst user", func(f figures) float64 { return f.WorstUser }, metric.Neither, ""},
		{"packing", func(f figures) float64 { return f.Packing }, metric.Lower, "packing"},
		{"longest wait", func(f figures) float64 { return f.Longest }, metric.Lower, "waiting_quantiles_s.max"},
		{"busy", func(f figures) float64 { return f.Busy }, metric.Neither, ""},
	}
}

// group is a row of the table: the windows of one queue at one load under one policy.
type group struct {
	queue  string
	load   float64
	policy string
}

// table writes, for each queue, load and policy, the figures as ratios to the first policy's figures in the same
// window. They are geometric means over the windows, with 95 % intervals (Student's t of the logarithms). A figure that no
// cell has is left out. In which of them each policy is better, worse, and not worse follows.
func (b benchmark) table(out io.Writer) error {
	all, err := readResults(b.results)
	if err != nil {
		return err
	}
	if len(b.policies) < 2 {
		return fmt.Errorf("--policy: got %d policies, allowed two or more: the others are compared with the first", len(b.policies))
	}
	sources, err := b.sources(all)
	if err != nil {
		return err
	}
	base := map[cell]figures{}
	var groups []group
	members := map[group][]cell{}
	for _, c := range all {
		if !b.wanted(c) {
			continue
		}
		if c.Policy == b.policies[0] {
			base[c.window()] = c.figures
			continue
		}
		g := group{c.Queue, c.Load, c.Policy}
		if b.overLoads {
			g.load = 0
		}
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], c)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		switch {
		case a.policy == b.policy && a.queue == b.queue && a.load < b.load:
			return -1
		case a.policy == b.policy && a.queue == b.queue && a.load > b.load:
			return 1
		}
		return 0
	})
	shown := slices.DeleteFunc(columns(), func(c column) bool {
		return !slices.ContainsFunc(all, func(one cell) bool { return b.wanted(one) && c.of(one.figures) > 0 })
	})
	header := []string{"policy", "queue", "load", "windows"}
	for _, c := range shown {
		header = append(header, c.name)
	}
	var rows [][]string
	found, dropped := map[string][]finding{}, map[string][]omitted{}
	for _, g := range groups {
		var ratios []string
		windows := 0
		for _, column := range shown {
			logs := overWindows(members[g], b.overLoads, func(c cell) float64 {
				if was := column.of(base[c.window()]); was > 0 {
					return column.of(c.figures) / was
				}
				return 0
			})
			windows = max(windows, len(logs))
			ratios = append(ratios, ratio(logs))
			found[g.policy] = append(found[g.policy], find(b.policies[0], g, column, logs)...)
			dropped[g.policy] = append(dropped[g.policy], withoutRatio(g, column, base, members[g])...)
		}
		load := "as drawn"
		switch {
		case g.load > 0:
			load = fmt.Sprint(g.load)
		case members[g][0].Load > 0:
			load = "all"
		}
		rows = append(rows, append([]string{g.policy, g.queue, load, strconv.Itoa(windows)}, ratios...))
	}
	below := "\n"
	for _, policy := range b.policies[1:] {
		below += told(b.policies[0], policy, found[policy]) + leftOut(dropped[policy])
	}
	return written(out, table.Texts(3, header, rows), below+sources)
}

// written writes a table in Markdown and what stands below it.
func written(out io.Writer, t table.View, below string) error {
	err := t.WriteMarkdown(out)
	if err == nil {
		_, err = io.WriteString(out, below)
	}
	return err
}

// sources lists, for each policy of the table, what its cells were made with. It refuses cells of one policy with several settings, which are of
// several policies.
func (b benchmark) sources(all []cell) (string, error) {
	settings := map[string]string{}
	builds := map[string]map[string]int{}
	for _, c := range all {
		if !b.wanted(c) {
			continue
		}
		if builds[c.Policy] == nil {
			builds[c.Policy] = map[string]int{}
		}
		builds[c.Policy][cmp.Or(c.Build, "unknown")]++
		if was := settings[c.Policy]; was != "" && c.Settings != "" && was != c.Settings {
			return "", fmt.Errorf("%s: policy %s has results of two settings, allowed one: %s; and %s", b.results, c.Policy, was, c.Settings)
		}
		settings[c.Policy] = cmp.Or(c.Settings, settings[c.Policy])
	}
	line := ""
	for _, policy := range b.policies {
		line += fmt.Sprintf("- %s: %s", policy, cmp.Or(settings[policy], "settings not recorded"))
		for _, build := range slices.Sorted(maps.Keys(builds[policy])) {
			line += fmt.Sprintf("; %s of build %s", text.Plural(builds[policy][build], "cell"), build)
		}
		line += "\n"
	}
	return line, nil
}

// window is what the cells of one window under all policies have in common.
func (c cell) window() cell { return cell{Queue: c.Queue, Window: c.Window, Load: c.Load} }

// overWindows are the logarithms of a positive figure of the cells of each window, the mean of its loads or each by itself. Cells where it is 0 do not
// have it.
func overWindows(cells []cell, together bool, of func(cell) float64) (logs []float64) {
	for _, loads := range byWindow(cells, together) {
		sum, n := 0.0, 0
		for _, c := range loads {
			if f := of(c); f > 0 {
				sum, n = sum+math.Log(f), n+1
			}
		}
		if n > 0 {
			logs = append(logs, sum/float64(n))
		}
	}
	return logs
}

// omitted are the windows of a column of a group in which it is 0 under the base or the policy: they have no ratio and are in
// no mean.
type omitted struct {
	of      string
	windows []string
}

// withoutRatio are the omitted windows of a column, none of one that no cell has or that is not counted.
func withoutRatio(g group, c column, base map[cell]figures, cells []cell) []omitted {
	have := false
	out := omitted{of: g.of(c)}
	for _, one := range cells {
		was, is := c.of(base[one.window()]), c.of(one.figures)
		have = have || was > 0 || is > 0
		if was > 0 && is > 0 {
			continue
		}
		window := fmt.Sprint(one.Window)
		if g.load == 0 && one.Load > 0 {
			window += fmt.Sprintf(" at %g", one.Load)
		}
		out.windows = append(out.windows, window)
	}
	if !have || c.better == metric.Neither || len(out.windows) == 0 {
		return nil
	}
	return []omitted{out}
}

// leftOut counts and names the omitted windows of all columns, nothing without any.
func leftOut(all []omitted) string {
	n := 0
	var names []string
	for _, o := range all {
		n += len(o.windows)
		names = append(names, fmt.Sprintf("%s (windows %s)", o.of, strings.Join(o.windows, ", ")))
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("- %s without a value, or with 0, under either policy are in no mean: %s\n", text.Plural(n, "window"), strings.Join(names, "; "))
}

// byWindow puts the cells of a window at all its loads together, or leaves each by itself.
func byWindow(cells []cell, together bool) [][]cell {
	var all [][]cell
	index := map[uint64]int{}
	for _, c := range cells {
		at, known := index[c.Window]
		if !known || !together {
			at = len(all)
			index[c.Window] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], c)
	}
	return all
}

// decided writes, for each queue and policy, what had been decided before the jobs arrived: geometric means over the windows, with
// 95 % intervals, each window the mean of its loads. Cells that are older than these figures are left out.
func (b benchmark) decided(out io.Writer) error {
	all, err := readResults(b.results)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c cell) bool { return c.Arrival == nil })
	sources, err := b.sources(all)
	if err != nil {
		return err
	}
	var rows [][]string
	var groups []group
	members := map[group][]cell{}
	for _, c := range all {
		if !b.wanted(c) {
			continue
		}
		g := group{queue: c.Queue, policy: c.Policy}
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], c)
	}
	for _, g := range groups {
		worst := overWindows(members[g], true, func(c cell) float64 { return c.Arrival.WorstUser / c.WorstUser })
		fair := overWindows(members[g], true, func(c cell) float64 { return c.Arrival.Fairness / c.Fairness })
		rows = append(rows, []string{g.queue, g.policy, strconv.Itoa(len(worst)), ratio(worst), ratio(fair)})
	}
	header := []string{"queue", "policy", "windows", "least slowdown of the worst user, of its slowdown", "fairness of the least slowdowns, of the fairness"}
	return written(out, table.Texts(2, header, rows), "\n"+sources)
}

// ratio is the geometric mean of ratios, given by their logarithms, with its interval.
func ratio(logs []float64) string {
	if len(logs) == 0 {
		return "-"
	}
	mean, interval := compare.MeanInterval(logs)
	if interval == nil {
		return fmt.Sprintf("%.2f", math.Exp(mean))
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", math.Exp(mean), math.Exp(interval.Low), math.Exp(interval.High))
}
