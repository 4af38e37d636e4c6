package paper

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Runs of rows that were not asked for are left out and named. Runs in no row of the paper stay, as do all runs where none is asked for: Compare
// refuses them.
func TestAsked(t *testing.T) {
	v1, v2 := publishedRun("S", "V.1", "auction", 1, 5), publishedRun("S", "V.2", "backfill", 1, 5)
	onL, nowhere := publishedRun("L", "V.1", "auction", 1, 5), publishedRun("S", "ESP-2", "auction", 1, 5)
	p := findPaper(t, "aucsched")
	rows, err := p.Rows(5, "V.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		runs, asked []metric.Result
		note        string
	}{
		"none":       {nil, nil, ""},
		"all":        {[]metric.Result{v1}, []metric.Result{v1}, ""},
		"others":     {[]metric.Result{v2, v1, v2, onL}, []metric.Result{v1}, "3 runs of other rows left out: table 5 row V.2 (2 runs), table 7 row V.1 (1 run)"},
		"one other":  {[]metric.Result{v1, v2}, []metric.Result{v1}, "1 run of other rows left out: table 5 row V.2 (1 run)"},
		"in no row":  {[]metric.Result{v1, nowhere}, []metric.Result{v1, nowhere}, ""},
		"none asked": {[]metric.Result{v2, onL}, []metric.Result{v2, onL}, ""},
		"nor there":  {[]metric.Result{v2, nowhere}, []metric.Result{v2, nowhere}, ""},
	} {
		asked, note, err := p.Asked(rows, test.runs)
		same := slices.EqualFunc(asked, test.asked, func(a, b metric.Result) bool { return a.Path == b.Path })
		if err != nil || note != test.note || !same {
			t.Errorf("%s: got %d runs, note %q, error %v", name, len(asked), note, err)
		}
	}
}
