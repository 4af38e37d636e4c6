package table

import "github.com/slurmlab/slurmlab/results/metric"

// few runs are read side by side, a measure a line; the values of more are easier
// compared below each other.
const few = 4

// FitRuns is what a screen of so many characters in a line shows of runs. It shows few ones, if it is wide enough, as
// the important measures with a line each, else as the table of Runs. left counts the measures that it leaves out.
func FitRuns(runs []metric.Metrics, width int) (View, error) {
	if len(runs) >= 1 && len(runs) <= few {
		important := Important(runs)
		t, err := Measures(runs, important)
		if err != nil {
			return View{}, err
		}
		if view := t.Fit(width); view.Complete {
			// What is left out are rows.
			view.Left, view.Omitted = -len(important), nil
			for _, m := range metric.Measures() {
				if knownOf(m, runs) {
					view.Left++
				}
			}
			return view, nil
		}
	}
	t, err := Runs(runs)
	if err != nil {
		return View{}, err
	}
	return t.Fit(width), nil
}

// FitMeasures are tables of all measures, a column per run: as many runs in each
// as the screen has room for, at least one.
func FitMeasures(runs []metric.Metrics, width int) ([]View, error) {
	var views []View
	for from := 0; from < len(runs); {
		var fitting View
		to := from
		for to < len(runs) {
			t, err := someMeasures(runs, from, to+1, metric.Measures())
			if err != nil {
				return nil, err
			}
			view := t.Fit(width)
			if !view.Complete && to > from {
				break
			}
			fitting, to = view, to+1
		}
		views, from = append(views, fitting), to
	}
	return views, nil
}
