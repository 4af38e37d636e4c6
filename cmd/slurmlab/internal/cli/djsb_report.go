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
			parts := report.DJSBParts(len(dirs))
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
		flag("part", &part, "", "one part: results, paper, findings or sensitivity, and of several benchmarks differences, findings, order or results (default: all; of csv and json the first)").completes(ofWords(report.DJSBResults, report.DJSBPaper, report.DJSBFindings, report.DJSBSensitivity, report.DJSBDifferences, report.DJSBOrder)),
		flag("out", &out, "", "page to write (default: DIR/report.html; none of several benchmarks)").completes(ofFiles(".html")),
	)
	return cmd
}

func reportDJSB(ctx context.Context, s *State, f form, only, out string, dirs []string) error {
	sides, err := readSides(s, dirs)
	if err != nil {
		return err
	}
	if only == "" && !f.ForPeople() {
		only = report.DJSBParts(len(dirs))[0]
	}
	page := out
	if page == "" && len(dirs) == 1 && f.ForPeople() {
		page = filepath.Join(dirs[0], "report.html")
	}
	var parts []report.DJSBPart
	for _, name := range report.DJSBParts(len(dirs)) {
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
		err := trace.WriteAtomic(page, func(w io.Writer) error { return report.WriteDJSB(w, sides, parts) })
		switch {
		case err != nil && out != "":
			return err
		case err != nil:
			s.warnf("%s is not written: %v", page, err)
		}
	}
	write := func(w io.Writer) error {
		for i, p := range slices.DeleteFunc(slices.Clone(parts), func(p report.DJSBPart) bool { return only != "" && p.Name != only }) {
			if err := writePart(w, s, f, p, i > 0, strings.Join(dirs, " ")); err != nil {
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

// writePart writes a part, as csv and json its table alone.
func writePart(w io.Writer, s *State, f form, p report.DJSBPart, apart bool, dirs string) error {
	var b strings.Builder
	if f.ForPeople() {
		if apart {
			b.WriteString("\n")
		}
		if f.Format == table.MarkdownFormat {
			b.WriteString("## ")
		}
		b.WriteString(p.Title + "\n\n")
		for _, words := range p.Words {
			b.WriteString(text.Wrap(words, "", s.screen()) + "\n")
		}
	}
	if !p.Rows && !f.ForPeople() {
		for _, words := range p.Words {
			s.warnf("%s", words)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil || !p.Rows {
		return err
	}
	return f.Write(w, s.screen(), p.Table, "slurmlab djsb report --wide --part "+p.Name+" "+dirs)
}

// newSensitivity computes how far the parameters of the run can move.
func newSensitivity(ctx context.Context, r djsb.Results) (report.DJSBPart, error) {
	p := report.DJSBPart{Name: report.DJSBSensitivity, Title: "What the model decides"}
	parameters := benchmark.Parameters{StartDelay: benchmark.StartDelay}
	if err := json.Unmarshal(r.Record.Model, &parameters.Contention); err != nil {
		return p, usage(fmt.Errorf("model of the benchmark: %w", err))
	}
	if err := parameters.Validate(); err != nil {
		p.Words = []string{"The benchmark has no model whose parameters could be moved."}
		return p, nil
	}
	turns, err := benchmark.Sensitivity(ctx, r.Record.Config, parameters)
	if err != nil {
		return p, err
	}
	p.Words = []string{"Each parameter is moved alone, over all values that it may have, and the benchmark is run in memory with one sample; start_delay_s is what Slurm takes to start a job. " +
		"A heading has the value of the run, a cell the values at which the finding turns over. What never turns over does not depend on that parameter."}
	p.Rows = true
	p.Table, err = benchmark.SensitivityTable(turns)
	return p, err
}

// newDJSBPart makes a part of a report; the sensitivity runs the benchmark in memory.
func newDJSBPart(ctx context.Context, sides []djsb.Side, name string) (report.DJSBPart, error) {
	if name == report.DJSBSensitivity {
		return newSensitivity(ctx, sides[0].Results)
	}
	return report.NewDJSBPart(sides, name)
}
