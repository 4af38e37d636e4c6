package paper

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// Asked returns the runs of the given rows, and a note on those of other rows of the paper, which are left out; the note is
// empty without any. Runs in no row of the paper stay, and so do all where none is of the given rows: Compare says
// what is wrong with them.
func (p Paper) Asked(rows []Row, runs []metric.Result) (asked []metric.Result, note string, err error) {
	all, err := readPublished(p.figures)
	if err != nil {
		return nil, "", err
	}
	given, left, counts := false, 0, map[string]int{}
	for _, run := range runs {
		s := run.Run.Settings
		s.Policy = run.Run.PolicyToday()
		is, other := rowOf(rows, s) != nil, rowOf(all, s)
		given = given || is
		if is || other == nil {
			asked = append(asked, run)
			continue
		}
		left++
		counts[fmt.Sprintf("table %d row %s", other.Table, other.Name)]++
	}
	switch {
	case !given:
		return runs, "", nil
	case left == 0:
		return asked, "", nil
	}
	var of []string
	for _, row := range slices.Sorted(maps.Keys(counts)) {
		of = append(of, fmt.Sprintf("%s (%s)", row, text.Plural(counts[row], "run")))
	}
	return asked, fmt.Sprintf("%s of other rows left out: %s", text.Plural(left, "run"), strings.Join(of, ", ")), nil
}
