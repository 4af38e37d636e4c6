package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
)

// column is a figure of a cell, whose ratio between two policies is reported.
type column struct {
	name string
	of   func(figures) float64
	// better is -1 where less is better, 1 where more is, and 0 for a column that is not counted.
	better float64
}

func columns() []column {
	return []column{
		{"waiting", func(f figures) float64 { return f.Waiting }, -1},
		{"bounded slowdown", func(f figures) float64 { return f.BoundedSlowdown }, -1},
		{"utilisation", func(f figures) float64 { return f.Utilisation }, 1},
		{"fairness", func(f figures) float64 { return f.Fairness }, 1},
		{"relative fairness", func(f figures) float64 {
			if f.Arrival == nil {
				return 0
			}
			return f.Arrival.Relative
		}, 1},
		{"worst user", func(f figures) float64 { return f.WorstUser }, 0},
		{"longest wait", func(f figures) float64 { return f.Longest }, 0},
		{"busy", func(f figures) float64 { return f.Busy }, 0},
	}
}

// group is a row of the table: the windows of one queue at one load under one policy.
type group struct {
	queue  string
	load   float64
	policy string
}

// table writes, for each queue, load and policy, the figures as parts of those of the
// first policy in the same window: geometric means over the windows, with 95 % intervals
// (Student's t of the logarithms). How many of them are worse follows.
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
	head, rule := "| policy | queue | load | windows |", "|---|---|---|---|"
	for _, c := range columns() {
		head, rule = head+" "+c.name+" |", rule+"---|"
	}
	text := head + "\n" + rule + "\n"
	found := map[string][]finding{}
	for _, g := range groups {
		row, windows := "", 0
		for _, column := range columns() {
			logs := overWindows(members[g], b.overLoads, func(c cell) float64 {
				if was := column.of(base[c.window()]); was > 0 {
					return column.of(c.figures) / was
				}
				return 0
			})
			windows = max(windows, len(logs))
			row += " " + ratio(logs) + " |"
			found[g.policy] = append(found[g.policy], find(g, column, logs)...)
		}
		load := "as drawn"
		switch {
		case g.load > 0:
			load = fmt.Sprint(g.load)
		case members[g][0].Load > 0:
			load = "all"
		}
		text += fmt.Sprintf("| %s | %s | %s | %d |%s\n", g.policy, g.queue, load, windows, row)
	}
	text += "\n"
	for _, policy := range b.policies[1:] {
		text += worse(policy, found[policy])
	}
	_, err = io.WriteString(out, text+sources)
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

// byWindow puts the cells of a window at all its loads together, or leaves each by itself.
func byWindow(cells []cell, together bool) [][]cell {
	var all [][]cell
	place := map[uint64]int{}
	for _, c := range cells {
		at, known := place[c.Window]
		if !known || !together {
			at = len(all)
			place[c.Window] = at
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
	text := "| queue | policy | windows | least slowdown of the worst user, of its slowdown | fairness of the least slowdowns, of the fairness |\n|---|---|---|---|---|\n"
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
		text += fmt.Sprintf("| %s | %s | %d | %s | %s |\n", g.queue, g.policy, len(worst), ratio(worst), ratio(fair))
	}
	_, err = io.WriteString(out, text+"\n"+sources)
	return err
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
