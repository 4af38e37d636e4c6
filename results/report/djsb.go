package report

import (
	"fmt"
	"io"

	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// The parts of a report on benchmarks. One on a single benchmark has the results, what the paper states, its findings
// and the sensitivity; one on several has the differences, findings, order and results.
const (
	DJSBResults     = "results"
	DJSBPaper       = "paper"
	DJSBFindings    = "findings"
	DJSBSensitivity = "sensitivity"
	DJSBDifferences = "differences"
	DJSBOrder       = "order"
)

// DJSBParts are the parts of a report on so many benchmarks.
func DJSBParts(benchmarks int) []string {
	if benchmarks > 1 {
		return []string{DJSBDifferences, DJSBFindings, DJSBOrder, DJSBResults}
	}
	return []string{DJSBResults, DJSBPaper, DJSBFindings, DJSBSensitivity}
}

// DJSBPart is a part of a report.
type DJSBPart struct {
	Name, Title string
	Words       []string
	Table       table.Table
	// Rows is false where there is nothing to tabulate, which Words say.
	Rows bool
}

// NewDJSBPart makes a part of a report. The sensitivity is up to the caller, who can run the benchmark in memory.
func NewDJSBPart(sides []djsb.Side, name string) (DJSBPart, error) {
	if len(sides) > 1 {
		return newSidesPart(sides, name)
	}
	r := sides[0].Results
	p := DJSBPart{Name: name, Rows: true}
	var err error
	switch name {
	case DJSBResults:
		p.Title, p.Words = "Results", r.Provenance()
		p.Table, err = djsb.Table(r.Summaries)
	case DJSBPaper:
		p.Title = "Beside the paper"
		if !djsb.Stated(r.Record.Config.Name) {
			p.Words, p.Rows = []string{"The paper states no value of configuration " + r.Record.Config.Name + "."}, false
			return p, nil
		}
		p.Words = []string{"Values that section 4.4 of the paper states in words, beside ours with the most analytics."}
		p.Table, err = r.PaperTable()
	case DJSBFindings:
		p.Title = "Findings of the paper"
		p.Words = []string{"The margin is the least distance between the two sides, over all numbers of analytics; below 0 ours is the opposite."}
		p.Table, err = r.FindingsTable()
	}
	return p, err
}

// newSidesPart makes a part of a report on several benchmarks.
func newSidesPart(sides []djsb.Side, name string) (DJSBPart, error) {
	p := DJSBPart{Name: name, Rows: true}
	nothing := ""
	var err error
	switch name {
	case DJSBDifferences:
		p.Title = "Differences to " + sides[0].Name
		p.Words = []string{"Each number is that of the benchmark in its row less that of " + sides[0].Name + ": the mean over pairs of samples with the same number, which have the same sleeps where the seeds are the same."}
		nothing = "No other benchmark has an experiment that " + sides[0].Name + " has."
		p.Table, p.Rows, err = djsb.DifferencesTable(sides)
	case DJSBFindings:
		p.Title = "Findings of the paper on two configurations"
		p.Words = []string{"Figure 4 of the paper has more memory than figure 3, and figure 5 a smaller system than figure 4. The margin is the least distance between the two sides, over the paper's scenarios and all numbers of analytics; below 0 ours is the opposite."}
		nothing = "No two of these benchmarks differ as the paper's do: in the memory of the simulation alone, which comes to fill more than half of a node, or in the size of the system alone."
		p.Table, p.Rows, err = djsb.BetweenTable(sides)
	case DJSBOrder:
		p.Title = "Real and emulated applications"
		p.Words = []string{"The scenarios in their order, the best one first. > stands between two whose difference has an interval without 0 and is more than a second of Slurm's clock makes, ~ between others. Orders differ where two scenarios stand in opposite ways."}
		nothing = "No two of these benchmarks are a real and an emulated one of the same configuration."
		var sentences []string
		p.Table, sentences, p.Rows, err = djsb.OrderTable(sides)
		p.Words = append(p.Words, sentences...)
	case DJSBResults:
		p.Title, p.Words = "Results", aboutSides(sides)
		p.Table, err = djsb.SidesTable(sides)
	}
	if !p.Rows {
		p.Words = []string{nothing}
	}
	return p, err
}

// WriteDJSB writes the page of all parts.
func WriteDJSB(w io.Writer, sides []djsb.Side, parts []DJSBPart) error {
	page := Page{Title: "Dynamic job scheduling benchmark " + sides[0].Record.Config.Name, Lead: []string{aboutResults(sides[0].Results)}}
	if len(sides) > 1 {
		page.Title, page.Lead = "Dynamic job scheduling benchmarks", aboutSides(sides)
	}
	for _, p := range parts {
		section := Section{Title: p.Title, Words: p.Words}
		if p.Rows {
			wide := p.Table.Wide()
			section.Tables = []Table{NewTable(wide.Common, wide)}
		}
		if p.Name == DJSBResults {
			section.Figures = djsbFigures(sides)
		}
		page.Sections = append(page.Sections, section)
	}
	return page.Write(w)
}

// aboutResults is a line about a benchmark.
func aboutResults(r djsb.Results) string {
	about := r.Record.Config.About() + "; " + r.Record.System()
	if r.Record.Policy != "" {
		about += ", policy " + r.Record.Policy
	}
	return about
}

// aboutSides has a line about each benchmark.
func aboutSides(sides []djsb.Side) []string {
	var lines []string
	for _, side := range sides {
		applications := "emulated"
		switch {
		case side.Record.Config.On != djsbconfig.SystemCluster:
			applications = "the user's"
		case side.Record.Real:
			applications = "real"
		}
		lines = append(lines, fmt.Sprintf("%s: %s with %s applications, %s", side.Name, side.Record.Config.Name, applications, aboutResults(side.Results)))
	}
	return lines
}

// djsbFigures are the pictures of each side.
func djsbFigures(sides []djsb.Side) []Figure {
	var figures []Figure
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
			if figure, err := NewFigure(whose+f.caption, f.draw); err == nil {
				figures = append(figures, figure)
			}
		}
	}
	return figures
}
