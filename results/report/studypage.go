package report

import (
	"fmt"
	"io"
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

// writePage writes the page of a campaign: verdicts, pictures, and where each run is from.
func (r Study) writePage() error {
	runs, err := r.provenance()
	if err != nil {
		return err
	}
	title := "Campaign "
	if len(r.Asked) == 0 {
		title = "Comparison "
	}
	page := Plain{Title: title + filepath.Base(r.Path), Lead: []string{r.extent()}}
	verdicts := Section{Title: "Which policy is better", Words: r.Findings(r.Groups)}
	if len(r.Groups) > 0 {
		view := r.Few.Fit(pageWidth)
		verdicts.Words = append(verdicts.Words, "The table has the most important metrics; comparison.csv has all. A difference is that of B less A, taken within each replica.")
		verdicts.Tables = []Table{{Caption: view.Common, Header: view.Header(), Rows: view.Rows()}}
	}
	page.Sections = append(page.Sections, verdicts)
	if r.pareto.draw != nil {
		page.Sections = append(page.Sections, Section{
			Title: r.pareto.caption, Words: r.pareto.lines,
			Figures: []Figure{{Draw: r.pareto.draw, Caption: "A policy is hollow if another one is at least as good by both means and better by one. " +
				"The intervals are over replicas: whether two policies differ is said by the verdicts."}},
		})
	}
	if len(r.settings) > 0 {
		section := Section{Title: "Settings", Words: []string{"Lines are means over the replicas that all values have, bands their 95 % intervals. sensitivity.csv has all metrics."}}
		for _, p := range r.settings {
			section.Figures = append(section.Figures, Figure{Caption: p.words + ".", Draw: p.draw})
		}
		page.Sections = append(page.Sections, section)
	}
	page.Sections = append(page.Sections, runs)
	return trace.WriteAtomic(filepath.Join(r.Path, pageName), func(w io.Writer) error { return WritePlain(w, page) })
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
	marked := Table{Caption: view.Common, Header: view.Header(), Rows: view.Rows()}
	for i, m := range r.Runs {
		if !m.Run.Quiet() {
			marked.Marked = append(marked.Marked, i)
		}
	}
	section.Tables = []Table{marked}
	section.Words = []string{fmt.Sprintf("Disturbed is the part of a run's real time that other programs on its core and the hypervisor took; runs of which they took %s are marked. "+
		"Late is by how many virtual seconds an action of slurmlab or the end of a job was off at most; runs in which that is %s are marked. "+
		"Set aside counts the runs of that name in the directory broken.", trace.QuietLimit(), trace.LateLimit())}
	if lines := r.notComplete(); len(lines.Rows) > 0 {
		section.Tables = append(section.Tables, lines)
	}
	return section, nil
}

// notComplete lists the runs of the campaign that are not complete, and why as far as is known.
func (r Study) notComplete() Table {
	t := Table{Caption: "Runs that are not complete", Header: []string{"Directory", "State", "Reason"}}
	for _, a := range r.Asked {
		if !a.Complete() {
			t.Rows = append(t.Rows, []string{filepath.Base(a.Path), a.State, a.Reason})
		}
	}
	return t
}

// runOf is the name of a run's directory, archived or not.
func runOf(m metric.Result) string { return filepath.Base(trace.Unarchived(m.Path)) }
