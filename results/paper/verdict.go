package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The sides of the verdict beside a paper.
const oursSide, papersSide = "ours", "paper"

// words are the verdict, empty where there is nothing beside.
func (b *Beside) words() string {
	if b == nil {
		return ""
	}
	return b.Words
}

// judgePublished fills in the verdicts. A correction counts the metrics of one row and policy, beside the paper, beside
// backfill and beside the strongest backfill each by itself.
func judgePublished(figures []Figure) {
	for from := 0; from < len(figures); {
		to := from
		for to < len(figures) && figures[to].sameRow(figures[from]) {
			to++
		}
		judgeRow(figures[from:to])
		from = to
	}
}

func (f Figure) sameRow(o Figure) bool {
	return f.Row.Table == o.Row.Table && f.Row.Machine == o.Row.Machine && f.Row.Name == o.Row.Name && f.Row.Method == o.Row.Method && f.Policy == o.Policy
}

func judgeRow(row []Figure) {
	other := slices.ContainsFunc(row, Figure.otherWork)
	var paper, backfill, strongest compare.Tests
	for i := range row {
		f := &row[i]
		if other || !f.judgeable() {
			f.P = math.NaN()
		}
		paper.All = append(paper.All, f.test(papersSide, oursSide, f.Ours-f.Paper, f.Paper, f.P))
		backfill.All = append(backfill.All, f.besideTest(f.Beside, trace.WholeQueue))
		strongest.All = append(strongest.All, f.besideTest(f.Strongest, trace.Backfill))
	}
	for i, ruling := range paper.Rulings() {
		f := &row[i]
		f.Ruling = ruling
		switch {
		case f.Words != "" || f.Runs == 0 || !f.judgeable():
		case other:
			f.Words = "other work, no verdict"
		case f.Runs == 1:
			f.Words = "one run, no verdict"
		}
	}
	for i, ruling := range backfill.Rulings() {
		row[i].Beside.judged(ruling, row[i])
	}
	for i, ruling := range strongest.Rulings() {
		row[i].Strongest.judged(ruling, row[i])
	}
}

// judgeable says that policies can be better or worse in the figure, and that the paper has it.
func (f Figure) judgeable() bool { return f.Measure.Better != metric.Neither && f.published() }

// judged takes the ruling; there may be nothing beside.
func (b *Beside) judged(ruling compare.Ruling, of Figure) {
	if b == nil {
		return
	}
	b.Ruling = ruling
	if b.Pairs == 1 && of.judgeable() {
		b.Words = compare.OnePair
	}
}

// test is the test of a difference to the side a, whose mean is base.
func (f Figure) test(a, b string, change, base, p float64) compare.Test {
	t := compare.Test{Of: compare.Words(f.Measure), Better: a, Part: math.Inf(1), Family: compare.FamilyOf(f.Measure), P: p}
	if change > 0 == (f.Measure.Better == metric.Higher) {
		t.Better = b
	}
	if base != 0 {
		t.Part = change / base
	}
	return t
}

// besideTest is the test beside another policy, without a probability where there is nothing beside.
func (f Figure) besideTest(b *Beside, policy string) compare.Test {
	if b == nil {
		return compare.Test{P: math.NaN()}
	}
	if !f.judgeable() {
		b.P = math.NaN()
	}
	return f.test(policy, f.Policy, b.Ours, b.base, b.P)
}

// Rule names the tests of the verdicts, and what they are corrected for; none without a verdict.
func Rule(figures []Figure) []string {
	most := func(p func(Figure) float64) (most int) {
		for i, f := range figures {
			n := 0
			for _, o := range figures[i:] {
				if f.sameRow(o) && !math.IsNaN(p(o)) {
					n++
				}
			}
			most = max(most, n)
		}
		return most
	}
	beside := func(f Figure) float64 {
		for _, b := range []*Beside{f.Beside, f.Strongest} {
			if b != nil && !math.IsNaN(b.P) {
				return b.P
			}
		}
		return math.NaN()
	}
	var rules []string
	if n := most(func(f Figure) float64 { return f.P }); n > 0 {
		rules = append(rules, fmt.Sprintf("Verdicts beside the paper are by Student's t at 5 %%, corrected by Holm for the metrics of a row and policy, %d at most. "+
			"The paper's mean has an error: its runs count as varying like ours, times its deviation over jobs by ours.", n))
	}
	if n := most(beside); n > 0 {
		rules = append(rules, fmt.Sprintf("Verdicts beside backfill are by %s at 5 %%, corrected by Holm for the metrics of a row and policy, %d at most.", compare.StudentsPaired, n))
	}
	return rules
}
