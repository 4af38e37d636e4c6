package main

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
)

// finding is whether a figure of a policy differs from that of the first policy.
type finding struct {
	// of is the column and the queue.
	of string
	// p is the two-sided probability of such a difference by chance.
	p     float64
	worse bool
}

// find returns the finding of a column that is counted, from the logarithms of its ratios, and none where a
// single window tells nothing of chance.
func find(g group, c column, logs []float64) []finding {
	if c.better == 0 || len(logs) < 2 {
		return nil
	}
	of := c.name + " of " + g.queue
	if g.load > 0 {
		of += fmt.Sprintf(" at %g", g.load)
	}
	mean, _ := compare.MeanInterval(logs)
	return []finding{{of, compare.MeanP(logs), mean*c.better < 0}}
}

// worse says which figures of a policy are worse beyond chance: each by itself, and all together by Holm's
// correction, since of 40 intervals of 95 % one is beyond 1 on the wrong side where nothing differs.
func worse(policy string, all []finding) string {
	const significance = 0.05
	var p []float64
	for _, f := range all {
		p = append(p, f.p)
	}
	var alone, together []string
	for i, adjusted := range compare.Holm(p) {
		f := all[i]
		if !f.worse {
			continue
		}
		if f.p < significance {
			alone = append(alone, fmt.Sprintf("%s (p %.2g)", f.of, f.p))
		}
		if adjusted < significance {
			together = append(together, fmt.Sprintf("%s (p %.2g)", f.of, adjusted))
		}
	}
	list := func(names []string) string {
		if names == nil {
			return "none"
		}
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("- %s: of %s, worse beyond chance by themselves: %s; by Holm's correction for all: %s\n",
		policy, text.Plural(len(all), "figure"), list(alone), list(together))
}
