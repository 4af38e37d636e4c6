package campaign

import (
	"fmt"
	"strconv"
	"strings"
)

// Until is the aim of a campaign that adds seeds.
type Until struct {
	// Metric is what the user calls it, Column its name in CSV.
	Metric, Column string
	// Percent is half of the width that the 95 % interval of the relative difference is
	// to have at most.
	Percent float64
	// Most is the largest number of seeds.
	Most int
}

const (
	// firstLook is the least number of seeds before an interval is looked at. The deviation of fewer is too often
	// small by chance, and so is the interval. With a first look at 2 seeds it holds the true difference in as few as
	// 85 % of simulated campaigns, with 10 in 91 % or more (docs/design/023-campaigns.md). Law, Kelton and Koenig
	// ("Relative width sequential confidence intervals for the mean", Communications in Statistics B 10, 1981) also
	// ask for 10.
	firstLook = 10
	// growth is the part of the seeds that are there which a round adds.
	growth = 0.25
	// usualMost is the largest number of seeds where nothing else is said.
	usualMost = 50
)

// UsualMost is the largest number of seeds of a campaign that does not say another one.
func UsualMost() int { return usualMost }

// Look is the number of seeds after which the intervals are looked at when some are there already, for a campaign whose
// file lists so many. It depends on the two numbers alone, so that a campaign that was
// killed looks when it would have looked.
func (u Until) Look(listed, there int) int {
	look := max(firstLook, listed)
	for look < there {
		look += max(1, int(growth*float64(look)+0.5))
	}
	return min(look, max(u.Most, listed))
}

// String is the aim as it stands in a campaign file: "waiting=2%".
func (u Until) String() string {
	return u.Metric + "=" + strconv.FormatFloat(u.Percent, 'g', -1, 64) + "%"
}

// ParseUntil reads an aim such as "waiting=2%", or "waiting:2%" as files of earlier builds have it; find gives the
// name in CSV of what a user calls a metric.
func ParseUntil(text string, find func(string) (string, error)) (Until, error) {
	name, width, there := strings.Cut(strings.Replace(text, ":", "=", 1), "=")
	number, percent := strings.CutSuffix(strings.TrimSpace(width), "%")
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !there || !percent || err != nil || value < 0.01 || value > 100 {
		return Until{}, fmt.Errorf("got %q, want a metric and half of the width of its interval from 0.01%% to 100%%, such as waiting=2%%", text)
	}
	column, err := find(strings.TrimSpace(name))
	if err != nil {
		return Until{}, err
	}
	return Until{Metric: strings.TrimSpace(name), Column: column, Percent: value, Most: usualMost}, nil
}

// readUntil reads the aim and the largest number of seeds.
func (f *file) readUntil(from Sources) {
	v, most := f.keys.Precision, f.keys.MaxSeeds
	if !v.There() {
		if most.There() {
			most.Failf("has no effect without precision, such as precision: waiting=2%%")
		}
		return
	}
	text, good := word(v)
	if !good {
		return
	}
	u, err := ParseUntil(text, from.Metric)
	if err != nil {
		v.FailAll(err)
		return
	}
	if most.There() {
		n, _ := whole(most, 2, mostSeeds)
		if u.Most = int(n); u.Most < len(f.seeds) && n > 0 {
			most.Failf("got %d, want at least the %d seeds that the file lists", n, len(f.seeds))
		}
	} else {
		u.Most = max(u.Most, len(f.seeds))
	}
	if len(f.pairs) == 0 && len(f.policies) > 0 {
		v.Failf("the campaign compares no policies, so that there is no difference")
	}
	for _, w := range f.workloads {
		if !w.value.Drawn() {
			w.Failf("precision: %s has the same jobs under every seed, so that more seeds would say nothing new; want a workload that is drawn", w.name())
		}
	}
	f.until = &u
}

// WithSeeds is the plan with n seeds: those that the file lists and, after the largest of
// them, the next ones.
func (p Plan) WithSeeds(n int) (Plan, error) {
	more := *p.file
	more.seeds = append([]uint64{}, p.file.seeds[:min(n, len(p.file.seeds))]...)
	next := uint64(0)
	for _, seed := range more.seeds {
		next = max(next, seed+1)
	}
	for ; len(more.seeds) < n; next++ {
		more.seeds = append(more.seeds, next)
	}
	p.Runs, p.Seeds = more.expand(), more.seeds
	return p, more.doc.Faults.Err()
}

// Added counts the seeds behind the listed ones of which there is a run among these directories of
// the campaign's folder.
func (p Plan) Added(dirs []string) int {
	last := uint64(0)
	for _, seed := range p.file.seeds {
		last = max(last, seed)
	}
	stems := map[string]bool{}
	for _, r := range p.Runs {
		stems[strings.TrimSuffix(r.Dir, r.seedText())] = true
	}
	added := uint64(0)
	for _, dir := range dirs {
		stem := strings.TrimRight(dir, "0123456789")
		seed, err := strconv.ParseUint(dir[len(stem):], 10, 64)
		if err == nil && stems[stem] && seed > last {
			added = max(added, seed-last)
		}
	}
	return int(min(added, mostSeeds))
}
