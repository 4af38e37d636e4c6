package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The parts of a report on one benchmark. One on several has results and findings as well.
const (
	djsbResults     = "results"
	djsbPaper       = "paper"
	djsbFindings    = "findings"
	djsbSensitivity = "sensitivity"
)

// djsbParts are the parts of a report on so many benchmarks.
func djsbParts(benchmarks int) []string {
	if benchmarks > 1 {
		return []string{djsbDifferences, djsbFindings, djsbOrder, djsbResults}
	}
	return []string{djsbResults, djsbPaper, djsbFindings, djsbSensitivity}
}

func djsbReportCommand(s *State) *cobra.Command {
	var f form
	var part, out string
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Put benchmarks beside their paper, and beside each other",
		Long: `Reports on a benchmark that "slurmlab djsb run" left, in four parts: the
results, a row for each scenario and number of analytics, with 95 % intervals
over the samples; what the paper states beside them; which of the paper's
findings they bear out; and how far each parameter of the model can move, alone
and in memory, before a finding turns over. A sample that failed is in no mean.

It leaves the same as report.html there, with two pictures: djsb.svg has the
results, with what the paper states as dashed levels, timeline.svg one sample of
each scenario.

Of several benchmarks it has the differences of each to the first one, with
intervals; the paper's findings on two configurations, such as figure3 and
figure4; and, of a real and an emulated benchmark of one configuration, whether
both put the scenarios into the same order. With --out the same is a page.`,
		Example: "  slurmlab djsb report runs/djsb-figure3-20260101-120000\n" +
			"  slurmlab djsb report runs/mine --part findings --format csv\n" +
			"  slurmlab djsb report runs/three runs/four runs/five --out figures.html",
		ValidArgsFunction: completions(ofDirectories).cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if err := f.Check(); err != nil {
				return usage(err)
			}
			parts := djsbParts(len(dirs))
			if part != "" && !slices.Contains(parts, part) {
				of := "one benchmark"
				if len(dirs) > 1 {
					of = "several benchmarks"
				}
				return usage(fmt.Errorf("part: %q is not known of %s, allowed are %s%s", part, of, strings.Join(parts, ", "), faults.DidYouMean(part, parts)))
			}
			return reportDJSB(cmd.Context(), s, f, part, out, dirs)
		},
	}
	f.flags(cmd)
	declare(cmd, headResults,
		flag("part", &part, "", "one part: results, paper, findings or sensitivity, and of several benchmarks differences, findings, order or results (default: all; of csv and json the first)").completes(ofWords(djsbResults, djsbPaper, djsbFindings, djsbSensitivity, djsbDifferences, djsbOrder)),
		flag("out", &out, "", "page to write (default: DIR/report.html; none of several benchmarks)").completes(ofFiles(".html")),
	)
	return cmd
}

// djsbPart is a part of a report.
type djsbPart struct {
	name, title string
	words       []string
	table       table.Table
	// rows is false where there is nothing to tabulate, which words say.
	rows bool
}

func reportDJSB(ctx context.Context, s *State, f form, only, out string, dirs []string) error {
	sides, err := readSides(s, dirs)
	if err != nil {
		return err
	}
	if only == "" && !f.ForPeople() {
		only = djsbParts(len(dirs))[0]
	}
	page := out
	if page == "" && len(dirs) == 1 && f.ForPeople() {
		page = filepath.Join(dirs[0], "report.html")
	}
	var parts []djsbPart
	for _, name := range djsbParts(len(dirs)) {
		if only != "" && only != name && page == "" {
			continue
		}
		part, err := newDJSBPart(ctx, sides, name)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	if page != "" {
		err := trace.WriteAtomic(page, func(w io.Writer) error { return writeDJSBPage(w, sides, parts) })
		switch {
		case err != nil && out != "":
			return err
		case err != nil:
			s.warnf("%s is not written: %v", page, err)
		}
	}
	write := func(w io.Writer) error {
		for i, p := range slices.DeleteFunc(slices.Clone(parts), func(p djsbPart) bool { return only != "" && p.name != only }) {
			if err := p.write(w, s, f, i > 0, strings.Join(dirs, " ")); err != nil {
				return err
			}
		}
		return nil
	}
	if f.Format == table.TextFormat {
		return s.explained(write)
	}
	return write(s.Stdout)
}

// write writes the part, as csv and json its table alone.
func (p djsbPart) write(w io.Writer, s *State, f form, apart bool, dirs string) error {
	var b strings.Builder
	if f.ForPeople() {
		if apart {
			b.WriteString("\n")
		}
		if f.Format == table.MarkdownFormat {
			b.WriteString("## ")
		}
		b.WriteString(p.title + "\n\n")
		for _, words := range p.words {
			b.WriteString(text.Wrap(words, "", s.screen()) + "\n")
		}
	}
	if !p.rows && !f.ForPeople() {
		for _, words := range p.words {
			s.warnf("%s", words)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil || !p.rows {
		return err
	}
	return f.Write(w, s.screen(), p.table, "slurmlab djsb report --wide --part "+p.name+" "+dirs)
}

func newDJSBPart(ctx context.Context, sides []djsb.Side, name string) (djsbPart, error) {
	if len(sides) > 1 {
		return newSidesPart(sides, name)
	}
	r := sides[0].Results
	p := djsbPart{name: name, rows: true}
	var err error
	switch name {
	case djsbResults:
		p.title, p.words = "Results", r.Provenance()
		p.table, err = djsb.Table(r.Summaries)
	case djsbPaper:
		p.title = "Beside the paper"
		if !djsb.Stated(r.Record.Config.Name) {
			p.words, p.rows = []string{"The paper states no value of configuration " + r.Record.Config.Name + "."}, false
			return p, nil
		}
		p.words = []string{"Values that section 4.4 of the paper states in words, beside ours with the most analytics."}
		p.table, err = r.PaperTable()
	case djsbFindings:
		p.title = "Findings of the paper"
		p.words = []string{"The margin is the least distance between the two sides, over all numbers of analytics; below 0 ours is the opposite."}
		p.table, err = r.FindingsTable()
	case djsbSensitivity:
		return newSensitivity(ctx, r)
	}
	return p, err
}

// newSensitivity computes how far the parameters of the run can move.
func newSensitivity(ctx context.Context, r djsb.Results) (djsbPart, error) {
	p := djsbPart{name: djsbSensitivity, title: "What the model decides"}
	parameters := benchmark.Parameters{StartDelay: benchmark.StartDelay}
	if err := json.Unmarshal(r.Record.Model, &parameters.Contention); err != nil {
		return p, usage(fmt.Errorf("model of the benchmark: %w", err))
	}
	if err := parameters.Validate(); err != nil {
		p.words = []string{"The benchmark has no model whose parameters could be moved."}
		return p, nil
	}
	turns, err := benchmark.Sensitivity(ctx, r.Record.Config, parameters)
	if err != nil {
		return p, err
	}
	p.words = []string{"Each parameter is moved alone, over all values that it may have, and the benchmark is run in memory with one sample; start_delay_s is what Slurm takes to start a job. " +
		"A heading has the value of the run, a cell the values at which the finding turns over. What never turns over does not depend on that parameter."}
	p.rows = true
	p.table, err = benchmark.SensitivityTable(turns)
	return p, err
}

// writeDJSBPage writes the page of all parts.
func writeDJSBPage(w io.Writer, sides []djsb.Side, parts []djsbPart) error {
	page := report.Page{Title: "Dynamic job scheduling benchmark " + sides[0].Record.Config.Name, Lead: []string{aboutResults(sides[0].Results)}}
	if len(sides) > 1 {
		page.Title, page.Lead = "Dynamic job scheduling benchmarks", aboutSides(sides)
	}
	for _, p := range parts {
		section := report.Section{Title: p.title, Words: p.words}
		if p.rows {
			wide := p.table.Wide()
			section.Tables = []report.Table{report.NewTable(wide.Common, wide)}
		}
		if p.name == djsbResults {
			section.Figures = djsbFigures(sides)
		}
		page.Sections = append(page.Sections, section)
	}
	return page.Write(w)
}

// aboutResults is a line about a benchmark.
func aboutResults(r djsb.Results) string {
	about := aboutDJSB(r.Record.Config) + "; " + r.Record.System()
	if r.Record.Policy != "" {
		about += ", policy " + r.Record.Policy
	}
	return about
}

// djsbFigures are the pictures of each side.
func djsbFigures(sides []djsb.Side) []report.Figure {
	var figures []report.Figure
	for _, side := range sides {
		whose := ""
		if len(sides) > 1 {
			whose = side.Name + ": "
		}
		for _, f := range []struct {
			caption string
			draw    func(io.Writer) error
		}{
			{"means over the samples with 95 % intervals; dashed levels are what the paper states.", side.Draw},
			{"the cores that the applications compute on in one sample of each scenario, as they told.", side.DrawTimeline},
		} {
			// What cannot be drawn was warned of with the picture's own file.
			if figure, err := report.NewFigure(whose+f.caption, f.draw); err == nil {
				figures = append(figures, figure)
			}
		}
	}
	return figures
}
