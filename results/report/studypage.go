package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// pageWidth is how many characters a table of verdicts has in a line: as many as a page shows at once.
const pageWidth = 150

// writePage writes the page of a campaign: findings, pictures, verdicts, and where each run is from.
func (r Study) writePage() error {
	runs, err := r.provenance()
	if err != nil {
		return err
	}
	title := "Campaign "
	if len(r.Asked) == 0 {
		title = "Comparison "
	}
	page := Page{Title: title + filepath.Base(r.Path), Lead: []string{r.extent()}}
	page.Sections = []Section{{Title: "Which policy is better", Words: r.Findings(r.Groups)}}
	if r.pareto.draw != nil {
		figure, err := NewFigure("A policy is hollow if another one is at least as good by both means and better by one. "+
			"The intervals are over replicas: the verdicts say whether two policies differ.", r.pareto.draw)
		if err != nil {
			return err
		}
		page.Sections = append(page.Sections, Section{Title: r.pareto.caption, Words: r.pareto.lines, Figures: []Figure{figure}})
	}
	if len(r.settings) > 0 {
		section := Section{Title: "Settings", Words: []string{"Lines are means over the replicas that all values have, bands their 95 % intervals. sensitivity.csv has all metrics."}}
		for _, p := range r.settings {
			figure, err := NewFigure(p.words+".", p.draw)
			if err != nil {
				return err
			}
			section.Figures = append(section.Figures, figure)
		}
		page.Sections = append(page.Sections, section)
	}
	if len(r.Groups) > 0 {
		view := r.Few.Fit(pageWidth)
		page.Sections = append(page.Sections, Section{Title: "Metrics", Words: []string{
			"The table has the most important metrics; comparison.csv has all. A difference is B minus A, taken within each replica.",
		}, Tables: []Table{NewTable(view.Common, view)}})
	}
	page.Sections = append(page.Sections, runs)
	return trace.WriteAtomic(filepath.Join(r.Path, pageName), page.Write)
}

// extent says how much there is, and over which time it was made.
func (r Study) extent() string {
	first, last, took := time.Time{}, time.Time{}, time.Duration(0)
	for _, run := range r.Runs {
		if first.IsZero() || run.Run.Started.Before(first) {
			first = run.Run.Started
		}
		if run.Run.Finished.After(last) {
			last = run.Run.Finished
		}
		took += run.Run.Finished.Sub(run.Run.Started)
	}
	line := text.Plural(len(r.Runs), "complete run")
	if n := len(r.Asked); n > 0 {
		line += fmt.Sprintf(" of %d", n)
	}
	return fmt.Sprintf("%s, made from %s to %s; together they took %s of one core.", line, minuteText(first), minuteText(last), text.Duration(took.Seconds()))
}

func minuteText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// provenance is the section with a row for each run: what made it, and what disturbed it.
func (r Study) provenance() (Section, error) {
	section := Section{Title: "Runs"}
	frame, err := table.NewFrame(r.Runs,
		table.Word("directory", func(m metric.Result) string { return runOf(m) }),
		table.Word("machine", func(m metric.Result) string { return m.Run.Machine.Name }),
		table.Word("workload", func(m metric.Result) string { return r.label(m) }),
		table.Word("policy", func(m metric.Result) string { return m.Run.Policy }),
		table.Word("replica", func(m metric.Result) string { return m.Run.Replica() }),
		table.Number("jobs", func(m metric.Result) float64 { return float64(m.Run.Jobs) }),
		table.Word("slurm", func(m metric.Result) string { return m.Run.SlurmVersion }),
		table.Word("slurmlab", func(m metric.Result) string { return m.Run.ToolVersion }),
		table.Word("image", func(m metric.Result) string { return trace.ShortID(m.Run.ImageID) }),
		table.Word("engine", func(m metric.Result) string {
			if m.Run.Engine == nil {
				return "none"
			}
			return m.Run.Engine.Host + " (" + m.Run.Engine.Machine + ")"
		}),
		table.Word("core", func(m metric.Result) string {
			if m.Run.Core == nil {
				return "none"
			}
			return strconv.Itoa(*m.Run.Core)
		}),
		table.Word("started", func(m metric.Result) string { return m.Run.Started.UTC().Format("2006-01-02 15:04:05") }),
		table.Number("took", func(m metric.Result) float64 { return m.Run.Finished.Sub(m.Run.Started).Seconds() }),
		table.Number("disturbed", func(m metric.Result) float64 { return 100 * m.Run.Disturbed() }),
		table.Number("latest", func(m metric.Result) float64 { return m.Run.Latest() }),
		table.Number("aside", func(m metric.Result) float64 { return float64(r.Aside[runOf(m)]) }),
	)
	if err != nil {
		return section, err
	}
	engine := table.Column{Names: []string{"engine"}}
	if slices.ContainsFunc(r.Runs, func(m metric.Result) bool { return m.Run.Engine != nil }) {
		engine = table.Words("Engine", "engine").AsIdentity()
	}
	t, err := table.New(frame,
		table.Words("Directory", "directory"), table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(),
		table.Words("Policy", "policy"), table.Words("Replica", "replica"), table.Numbers("Jobs", "jobs", 0),
		table.Words("Slurm", "slurm").AsIdentity(), table.Words("Slurmlab", "slurmlab").AsIdentity(), table.Words("Image", "image").AsIdentity(), engine, table.Words("Core", "core").AsIdentity(),
		table.Words("Started, UTC", "started"), table.Numbers("Real s", "took", 1), table.Numbers("Disturbed %", "disturbed", 1), table.Numbers("Late s", "latest", 1), table.Numbers("Set aside", "aside", 0))
	if err != nil {
		return section, err
	}
	view := t.Fit(math.MaxInt)
	marked := NewTable(view.Common, view)
	marked.Marked = map[int]bool{}
	for i, m := range r.Runs {
		marked.Marked[i] = !m.Run.Quiet()
	}
	section.Tables = []Table{marked}
	section.Words = []string{fmt.Sprintf("Disturbed is the share of a run's real time that other programs on its core and the hypervisor took; runs that lost %s are marked. "+
		"Late is the largest error, in virtual seconds, of an action of slurmlab or the end of a job; runs with %s are marked. "+
		"Set aside counts the runs of that name in the directory broken.", trace.QuietLimit(), trace.LateLimit())}
	if lines := r.notComplete(); len(lines.Rows) > 0 {
		section.Tables = append(section.Tables, lines)
	}
	return section, nil
}

// notComplete lists the runs of the campaign that are not complete, and why as far as is known.
func (r Study) notComplete() Table {
	t := Table{Caption: "Runs that are not complete"}
	for _, a := range r.Asked {
		if !a.Complete() {
			t.Rows = append(t.Rows, []Cell{word(filepath.Base(a.Path)), word(a.State), word(a.Reason)})
		}
	}
	return t.withHeader("Directory", "State", "Reason")
}

// runOf is the name of a run's directory, archived or not.
func runOf(m metric.Result) string { return filepath.Base(trace.Unarchived(m.Path)) }
