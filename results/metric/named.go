package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Named finds the measure that a user means by a word: its key in metrics.json, its column in CSV, its name or the
// papers' name. Case does not matter, nor unit, "mean", or the spelling of utilisation; words may have spaces, - or _
// between them. "util" is utilisation, "utilisation" alone the cores', and "fairness" the fairness over users.
func Named(word string) (Measure, bool) {
	wanted := plain(word)
	switch wanted {
	case "utilization":
		wanted = "cpu_utilization"
	case "fairness":
		wanted = "user_fairness"
	}
	for _, m := range Measures() {
		if wanted != "" && slices.Contains(m.names(), wanted) {
			return m, true
		}
	}
	return Measure{}, false
}

// Find is Named, whose error says which metric may have been meant.
func Find(word string) (Measure, error) {
	m, known := Named(word)
	if known {
		return m, nil
	}
	var short []string
	for _, m := range Measures() {
		short = append(short, m.Short())
	}
	return m, fmt.Errorf("metric %q is not known%s; all are listed by: slurmlab metrics --definitions", word, faults.DidYouMean(word, short))
}

// Short is the shortest name that Named takes: "waiting".
func (m Measure) Short() string { return plain(m.Key) }

// names are those that Named takes.
func (m Measure) names() []string {
	names := []string{plain(m.Key), plain(m.Column), plain(m.Name), strings.ToLower(m.Key)}
	if m.Papers != "" {
		names = append(names, plain(m.Papers))
	}
	return names
}

// plain is a name without what people leave out.
func plain(name string) string {
	name = strings.NewReplacer(" %", "", " ", "_", "-", "_", ",", "", "utilisation", "utilization").Replace(strings.ToLower(strings.TrimSpace(name)))
	for _, ending := range []string{"_h", "_s", "_percent", "_mean", ".mean", "_s"} {
		name = strings.TrimSuffix(name, ending)
	}
	if before, is := strings.CutSuffix(name, "_util"); is {
		return before + "_utilization"
	}
	return name
}
