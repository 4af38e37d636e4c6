package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is what came of all steps: their times, why tests were skipped, and each failure. The last
// line counts the tests.
func report(results []result, dir string) string {
	w := &strings.Builder{}
	var took time.Duration
	var all tally
	fmt.Fprintf(w, "\n%-16s %9s %8s %9s %7s %7s %7s\n", "step", "began", "took", "own cpu", "passed", "failed", "skipped")
	skipped := map[string]int{}
	for _, r := range results {
		took = max(took, r.began+r.took)
		all.passed += r.tests.passed
		all.failed += r.tests.failed
		all.cut += r.tests.cut
		all.notBegun += r.tests.notBegun
		for reason, n := range r.tests.skipped {
			skipped[reason] += n
		}
		if r.state == notRun {
			fmt.Fprintf(w, "%-16s not run%s\n", r.step.name, because(r.missing))
			continue
		}
		fmt.Fprintf(w, "%-16s %7.0f s %6.0f s %7.0f s", r.step.name, r.began.Seconds(), r.took.Seconds(), r.cpu.Seconds())
		if r.step.tests {
			fmt.Fprintf(w, " %7d %7d %7d", r.tests.passed, r.tests.failed, r.tests.skips())
		}
		if r.state != passed {
			fmt.Fprintf(w, "  %s", strings.ToUpper(string(r.state)))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%-16s %9s %6.0f s\n", "all", "", took.Seconds())
	all.skipped = skipped
	reasons := slices.SortedFunc(maps.Keys(skipped), func(a, b string) int {
		return cmp.Or(cmp.Compare(skipped[b], skipped[a]), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		fmt.Fprintf(w, "skipped %d: %s\n", skipped[reason], reason)
	}
	for _, r := range results {
		repeats(w, r)
	}
	for _, r := range results {
		failures(w, r, dir)
	}
	fmt.Fprintf(w, "\n%d passed, %d failed, %d skipped%s\n", all.passed, all.failed, all.skips(), all.unfinished())
	return w.String()
}

// unfinished counts the tests that did not come to an end, empty for none.
func (t tally) unfinished() (text string) {
	if t.cut > 0 {
		text = fmt.Sprintf(", %d interrupted", t.cut)
	}
	if t.notBegun > 0 {
		text += fmt.Sprintf(", %d not run", t.notBegun)
	}
	return text
}

// still is a line for each time in which the machine stood still, which the times of the steps contain.
func still(all []standstill, began time.Time) string {
	w := &strings.Builder{}
	for _, s := range all {
		fmt.Fprintf(w, "the machine stood still for %.0f s, %.0f s after the start\n", s.to.Sub(s.from).Seconds(), s.from.Sub(began.Round(0)).Seconds())
	}
	return w.String()
}

// repeats writes a line for each test of a step that ran once more.
func repeats(w *strings.Builder, r result) {
	for _, f := range r.tests.failures {
		if f.repeated != "" {
			fmt.Fprintf(w, "run again: %s: %s (the machine stood still for %.0f s the first time)\n", f.name(), f.repeated, f.stood.Seconds())
		}
	}
}

// name is the test with its package.
func (f failure) name() string {
	if f.test == "" {
		return f.pkg
	}
	return f.test + " in " + f.pkg
}

func because(missing string) string {
	if missing == "" {
		return ""
	}
	return ": " + missing + " did not pass"
}

// failures writes the last lines of each failed test of a step, or of the step where no test failed.
func failures(w *strings.Builder, r result, dir string) {
	if r.state == passed || r.state == notRun {
		return
	}
	target := "make " + strings.Join(r.step.target, " ")
	for _, f := range r.tests.failures {
		repeat := fmt.Sprintf("%s PKG=%s", target, local(f.pkg))
		if f.test != "" {
			repeat += fmt.Sprintf(" RUN='%s'", pattern(f.test))
		}
		fmt.Fprintf(w, "\nFAILED: %s\nrepeat: %s\n", f.name(), repeat)
		if f.kept != "" {
			fmt.Fprintf(w, "logs of the cluster: %s\n", f.kept)
		}
		lines(w, f.lines)
	}
	if len(r.tests.failures) == 0 {
		fmt.Fprintf(w, "\n%s: step %s\nrepeat: %s\nlog: %s/%s.log\n", strings.ToUpper(string(r.state)), r.step.name, target, dir, r.step.name)
		lines(w, r.tests.other)
	}
}

func lines(w *strings.Builder, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(w, "| %s\n", strings.TrimSuffix(line, "\n"))
	}
}

const module = "github.com/slurmlab/slurmlab"

// local is a package as an argument of go test.
func local(pkg string) string { return "." + strings.TrimPrefix(pkg, module) }

// table writes the times of the steps as CSV.
func table(w io.Writer, results []result) error {
	rows := [][]string{{"step", "state", "began_s", "took_s", "own_cpu_s", "passed", "failed", "skipped"}}
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) }
	for _, r := range results {
		rows = append(rows, []string{
			r.step.name, string(r.state), seconds(r.began), seconds(r.took), seconds(r.cpu),
			strconv.Itoa(r.tests.passed), strconv.Itoa(r.tests.failed), strconv.Itoa(r.tests.skips()),
		})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
