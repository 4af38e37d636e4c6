package campaign

import (
	"path"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/results/trace"
)

// exclusion leaves out the runs whose values match all of its patterns.
type exclusion struct {
	input.Value
	patterns map[string][]string
	used     bool
}

// excludable are the keys of an exclusion, and what of a run they are matched with.
func (f *file) excludable() map[string]func(Run) string {
	return map[string]func(Run) string{
		"machine":  func(r Run) string { return r.Machine.Name },
		"workload": func(r Run) string { return r.Label },
		"policy":   func(r Run) string { return r.Policy.Name },
		"backend":  func(r Run) string { return string(r.Backend.Form) },
		"slurm":    f.series,
		"seed":     func(r Run) string { return r.seedText() },
	}
}

func (f *file) readExclusions() {
	if !f.keys.Exclude.There() {
		return
	}
	for _, one := range list(f.keys.Exclude) {
		o, good := mapping(one, new(exclusionKeys))
		if !good {
			continue
		}
		e := exclusion{Value: one, patterns: map[string][]string{}}
		for _, key := range input.Keys[exclusionKeys]() {
			value, has := o.Peek(key.Name)
			if !has {
				continue
			}
			e.patterns[key.Name] = words(value)
			for _, pattern := range e.patterns[key.Name] {
				if _, err := path.Match(pattern, ""); err != nil {
					value.Failf("got %q, want a word, in which * stands for any text: %w", pattern, err)
				}
			}
		}
		o.Done()
		f.exclude = append(f.exclude, e)
	}
}

// matches says whether the exclusion leaves the run out.
func (f *file) matches(e *exclusion, r Run) bool {
	for key, patterns := range e.patterns {
		word := f.excludable()[key](r)
		if !slices.ContainsFunc(patterns, func(p string) bool {
			matched, _ := path.Match(p, word)
			formerly, _ := path.Match(p, trace.HyphenedPolicy(word))
			return matched || formerly
		}) {
			return false
		}
	}
	e.used = true
	return true
}

// readPairs reads which policies are compared; without it, each with the first.
func (f *file) readPairs() {
	var names []string
	for _, p := range f.policies {
		names = append(names, p.value.Name)
	}
	if len(f.pairs) > 0 {
		// The pairs of an A/A campaign.
		return
	}
	if !f.keys.Pairs.There() {
		for _, name := range names[min(1, len(names)):] {
			f.pairs = append(f.pairs, [2]string{names[0], name})
		}
		return
	}
	for _, one := range list(f.keys.Pairs) {
		pair := words(one)
		if len(pair) != 2 || trace.HyphenedPolicy(pair[0]) == trace.HyphenedPolicy(pair[1]) {
			one.Failf("got %q, want two different policies", pair)
			continue
		}
		for i, word := range pair {
			at := slices.IndexFunc(names, func(name string) bool { return name == word || trace.HyphenedPolicy(name) == word })
			switch {
			case at >= 0:
				pair[i] = names[at]
			case len(names) > 0:
				// A policy that has a fault is not known here.
				one.Failf("policy %q is none of the campaign%s", word, faults.Allowed(word, names, "slurmlab campaign plan"))
			}
		}
		f.pairs = append(f.pairs, [2]string{pair[0], pair[1]})
	}
}
