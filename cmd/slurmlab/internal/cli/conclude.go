package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
)

// conclude compares the runs of an experiment, which come in pairs, prints the comparison and writes tables, pictures
// and report into out. by is one of metric.GroupBys for a further table of groups of jobs, which is then printed
// instead. It is empty for none.
func conclude(s *State, f form, by, out string, runs []metric.Result) error {
	pairs, err := report.NewPairs(runs, by)
	if err != nil {
		return err
	}
	files, err := pairs.Write(out)
	if err != nil {
		return err
	}
	err = printComparison(s, f, pairs, out)
	s.warn(runs...)
	results := fmt.Sprintf("%s (report.html, %s, pictures)", out, strings.Join(files, ", "))
	return errors.Join(err, s.conclusion(f, results, report.AfterComparison(runs[0], runs[1])...))
}

// concludeVariants compares the runs of more than two policies, each with the first. It prints the comparison and
// writes tables, pictures and report into out, as for a campaign. by is as in conclude.
func concludeVariants(s *State, f form, by, out string, runs []metric.Result, policies []policy.Policy, sweeps []compare.Sweep) error {
	g := report.Folder{Path: out, Labels: map[string]string{}, Sweeps: sweeps}
	for _, p := range policies[1:] {
		g.Pairs = append(g.Pairs, [2]string{policies[0].Name, p.Name})
	}
	for _, r := range runs {
		g.Labels[trace.Unarchived(r.Path)] = r.Run.Workload
	}
	g.Take(runs)
	// Each is warned of, and there is no manifest.
	g.Disturbed, g.Late = 0, 0
	x, y, errPareto := report.TwoMetrics(usualPareto)
	measures, errSensitivity := report.SomeMetrics(usualSensitivity)
	if err := errors.Join(errPareto, errSensitivity); err != nil {
		return err
	}
	r, err := report.NewStudy(g, x, y, measures)
	if err != nil {
		return err
	}
	if by == "" {
		err = tellStudy(s, f, r)
	} else {
		err = tellGroups(s, f, r, by)
	}
	s.warn(runs...)
	return err
}

// tellGroups writes the files of a comparison of several policies, and prints the table of groups of jobs in the place of the metrics.
func tellGroups(s *State, f form, r report.Study, by string) error {
	files, err := r.Write()
	if err != nil {
		return err
	}
	groups, err := r.WriteGroups(by)
	if err != nil {
		return err
	}
	file := groups.Name + ".csv"
	if f.ForPeople() {
		if _, err = fmt.Fprintf(s.Stdout, "%s\n", text.Wrap(groups.Summary, "", s.width())); err != nil {
			return err
		}
	}
	if err = f.print(s, groups.Table, filepath.Join(r.Path, file)); err != nil || !f.ForPeople() {
		return err
	}
	return s.conclusion(f, fmt.Sprintf("%s (%s)", r.Path, strings.Join(append(files, file), ", ")))
}

// printComparison prints the table of metrics or the table of groups of jobs. For people it prints between them what
// the runs show and, of two backends, how far the starts are apart.
func printComparison(s *State, f form, p report.Pairs, out string) error {
	file := filepath.Join(out, p.Main.Name+".csv")
	if !f.ForPeople() {
		return f.print(s, p.Main.Table, file)
	}
	_, err := fmt.Fprintf(s.Stdout, "%s\n", text.Wrap(p.Main.Summary, "", s.width()))
	err = errors.Join(err, f.print(s, p.Main.ForPeople, file))
	if more := p.Main.Table.Rows() - p.Main.ForPeople.Rows(); more > 0 {
		_, moreErr := fmt.Fprintf(s.Stdout, "%s: %s\n", text.Plural(more, "more metric"), file)
		err = errors.Join(err, moreErr)
	}
	if starts := p.StartsSummary(); starts != "" {
		_, startsErr := fmt.Fprintf(s.Stdout, "\n%s", text.Wrap(starts, "", s.width()))
		err = errors.Join(err, startsErr)
	}
	return err
}
