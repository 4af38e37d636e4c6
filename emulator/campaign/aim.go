package campaign

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
)

// Aim says what a campaign that adds seeds is after, nothing for others.
func (st *Study) Aim() string {
	if st.Until == nil {
		return ""
	}
	return fmt.Sprintf("Seeds are added until %s is within ± %g %% in every pair: %s for the next look, %d in the file, at most %d.",
		wordsOf(*st.Until), st.Until.Percent, text.Plural(len(st.Seeds), "seed"), st.Listed, st.Until.Most)
}

// wordsOf is the metric of an aim in a sentence.
func wordsOf(u Until) string {
	m, known := metric.Named(u.Column)
	if !known {
		return u.Metric
	}
	return compare.Words(m)
}

// narrow says whether the interval of a group is as narrow as wanted. A metric that is unknown
// in some run never is.
func narrow(u Until, g compare.Grouped) bool {
	r, known := g.Relative(u.Column)
	return known && 100*r.Half() <= u.Percent
}

// standings say for each group where it stands.
func standings(u Until, groups []compare.Grouped) []string {
	var lines []string
	for _, g := range groups {
		what := fmt.Sprintf("%s against %s on %s, machine %s, backend %s, %s: relative difference in %s",
			g.B, g.A, g.Name, g.Machine, g.Backend.BackendName(), text.Plural(len(g.Seeds), string(g.Kind)), wordsOf(u))
		r, known := g.Relative(u.Column)
		switch {
		case !known:
			lines = append(lines, what+" unknown, as the metric is in some run")
			continue
		case math.IsInf(r.Half(), 1):
			lines = append(lines, what+" without an interval")
			continue
		}
		verdict := "narrow enough"
		if !narrow(u, g) {
			verdict = fmt.Sprintf("wanted are ± %g %%", u.Percent)
		}
		lines = append(lines, fmt.Sprintf("%s %+.1f %%, 95 %% interval %+.1f to %+.1f %%, ± %.1f %%: %s",
			what, 100*r.Mean, 100*r.Interval.Low, 100*r.Interval.High, 100*r.Half(), verdict))
	}
	return lines
}

// sequential says what it means that the number of seeds was chosen by the results.
func (st *Study) sequential() string {
	return fmt.Sprintf("Seeds were added by what the results were: %d to the %d of the campaign file, until %s was within ± %g %%, at most %d. "+
		"Intervals that stop so hold less often than they say: simulated campaigns with one pair and log-normal waiting have the true relative difference in 93 to 95 %% of the 95 %% intervals, and nothing corrects the probabilities above for it "+
		"(docs/design/023-campaigns.md; Chow and Robbins, Annals of Mathematical Statistics 36, 1965, prove 95 %% only for ever narrower intervals).",
		max(0, len(st.Seeds)-st.Listed), st.Listed, wordsOf(*st.Until), st.Until.Percent, st.Until.Most)
}

// nextSeeds looks at the intervals of the complete runs of a round and tells where
// they stand. It is the number of seeds of the next round, 0 when there is none.
func (st *Study) nextSeeds(runs report.Folder, say func(text string)) (int, error) {
	groups, err := runs.Groups()
	if err != nil {
		return 0, err
	}
	settled := 0
	for _, of := range groups {
		if narrow(*st.Until, of) {
			settled++
		}
	}
	for _, line := range standings(*st.Until, groups) {
		say(line)
	}
	now := len(st.Seeds)
	next := st.Until.Look(st.Listed, now+1)
	switch {
	case settled == len(groups):
		say(fmt.Sprintf("%s: every interval is narrow enough after %s.", st.Until, text.Plural(now, "seed")))
		return 0, nil
	case next <= now:
		say(fmt.Sprintf("%s: %d of %s narrow enough after %s, which are the most (--max-seeds).", st.Until, settled, text.Plural(len(groups), "interval"), text.Plural(now, "seed")))
		return 0, nil
	default:
		say(fmt.Sprintf("%s: %d of %s narrow enough after %s; the next look is after %d.", st.Until, settled, text.Plural(len(groups), "interval"), text.Plural(now, "seed"), next))
		return next, nil
	}
}

// KeepsAim refuses to make a campaign that adds seeds into one that does not: its runs would be told
// as if their number had been fixed before.
func (st *Study) KeepsAim() error {
	kept := filepath.Join(st.Folder, inputsName, campaignName)
	if _, err := os.Stat(kept); st.Until != nil || err != nil {
		return nil
	}
	text, err := input.ReadFile(kept)
	if err != nil {
		return fmt.Errorf("read campaign: %w", err)
	}
	old := Study{file: kept}
	before, err := Read(kept, text, old.sources(""))
	if err != nil || before.Until == nil {
		// A file that cannot be read any more is replaced.
		return nil
	}
	return faults.Usage(fmt.Errorf("precision: the campaign in %s adds seeds until %s; go on with --precision %s, with slurmlab campaign run %s, or choose another folder with --out",
		st.Folder, before.Until, before.Until, st.Folder))
}
