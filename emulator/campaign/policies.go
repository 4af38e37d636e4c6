package campaign

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/trace"
)

// readPolicies reads the policies, and which file has those that are not slurmlab's.
func (f *file) readPolicies(from Sources) {
	name := ""
	at := f.keys.PolicyFile
	if at.There() {
		name, _ = word(at)
	}
	all, err := from.Policies(name)
	if err != nil {
		if !at.There() {
			at = f.root.Value
		}
		at.FailAll(err)
		return
	}
	for _, v := range f.need("policies", f.keys.Policies) {
		f.policies = append(f.policies, f.variants(v, finder{all, from.Program}.find, "")...)
	}
}

// Variants reads a file that has only the list "policies" of a campaign file. An entry without the key policy changes
// the base. It also returns the settings with several values, and the programs. The error lists all faults, each with its
// line and field.
func Variants(name string, text []byte, base string, find func(string) (policy.Policy, error)) ([]policy.Policy, []compare.Sweep, Programs, error) {
	doc := input.Open(name, text, input.Want)
	body, _ := doc.Body("variants")
	_, is := body.Entries()
	if doc.Faults.Len() == 0 && !is {
		doc.Faults.Addf(1, "document: want a list of variants, as below policies in a campaign file, such as: - {name: wide, settings: {bf_window: 5760}}")
	}
	if doc.Faults.Len() > 0 {
		return nil, nil, nil, doc.Faults.Err()
	}
	f := &file{doc: doc}
	for _, v := range list(body) {
		f.policies = append(f.policies, f.variants(v, find, base)...)
	}
	unique(f.policies, func(p named[policy.Policy]) (input.Value, string) { return p.Value, p.value.Name })
	var all []policy.Policy
	for _, p := range f.policies {
		all = append(all, p.value)
	}
	return all, f.sweeps, f.programs, doc.Faults.Err()
}

// readTwins has each policy there twice in an A/A campaign, which shows how often equal policies
// are called different.
func (f *file) readTwins() {
	v := f.keys.AA
	if !v.There() {
		return
	}
	text, good := word(v)
	if !good || text != "true" && text != "false" {
		v.Failf("got %s, want true or false", v.Kind())
		return
	}
	if text == "false" {
		return
	}
	for _, p := range slices.Clone(f.policies) {
		twin := p
		var err error
		if twin.value, err = p.value.Change(p.value.Name + trace.Again); err != nil {
			v.FailAll(err)
			continue
		}
		f.policies = append(f.policies, twin)
		f.pairs = append(f.pairs, [2]string{p.value.Name, twin.value.Name})
	}
}

// finder finds policies by name, and programs by file.
type finder struct {
	all     policy.Policies
	program func(p policy.Policy, file string) (policy.Policy, error)
}

func (f finder) find(name string) (policy.Policy, error) {
	p, err := f.all.Resolve(name)
	_, file, is := policy.CutProgram(name)
	if err != nil || !is {
		return p, err
	}
	return f.program(p, file)
}

// variants are the policies of one entry. The entry is a name, or a mapping with the keys policy, which is the usual
// one where it is missing, name and settings. Each setting may have several values.
func (f *file) variants(v input.Value, find func(string) (policy.Policy, error), usual string) []named[policy.Policy] {
	if !v.IsMapping() {
		if text, good := word(v); good {
			if p, err := find(text); err != nil {
				v.FailAll(err)
			} else {
				f.noteProgram(v, text)
				return []named[policy.Policy]{{v, p}}
			}
		}
		return nil
	}
	var k policyKeys
	o, _ := mapping(v, &k)
	name, text, good := k.Policy, usual, true
	switch {
	case name.There():
		text, good = word(name)
	case usual == "":
		v.Failf("policy: missing, want the name of one")
		good = false
	default:
		name = v
	}
	if !good {
		return nil
	}
	base, err := find(text)
	if err != nil {
		name.FailAll(err)
		return nil
	}
	if k.Policy.There() {
		f.noteProgram(name, text)
	}
	stem, hasLabel := base.Name, k.Name.There()
	if hasLabel {
		if stem, _ = word(k.Name); strings.Contains(stem, "=") {
			k.Name.Failf("got %q, want no = in it, as the words of settings have it", stem)
			return nil
		}
	}
	settings := &input.Mapping{}
	if k.Settings.There() {
		if settings = k.Settings.Mapping(); !k.Settings.IsMapping() {
			return nil
		}
	}
	o.Done()
	variations := variationsOf(settings)
	if n := countCombinations(variations); n > mostRuns/f.replicas()-len(f.policies) {
		k.Settings.Failf("got %d combinations of values beside %d policies, each for %d runs, want at most %d runs", n, len(f.policies), f.replicas(), mostRuns)
		return nil
	}
	all := combinations(variations)
	var names []string
	var made []named[policy.Policy]
	for _, c := range all {
		names = append(names, c.name(stem, hasLabel))
		p, err := base.Change(names[len(names)-1], c.settings()...)
		if err != nil {
			failEach(settings, err, v)
			continue
		}
		made = append(made, named[policy.Policy]{v, p})
	}
	f.sweeps = addSweeps(f.sweeps, stem, hasLabel, all, names)
	return made
}

// replicas are the runs of each policy on one backend, at least 1. Machines, workloads and seeds are read before policies.
func (f *file) replicas() int {
	return max(1, len(f.machines)) * max(1, len(f.workloads)) * max(1, len(f.seeds))
}

// Variation is a setting with the values under which a policy is compared with itself.
type Variation struct {
	Key    string
	Values []string
}

// ReadVariation reads a variation as the command line has it, KEY=V1,V2. A value with commas stands in double quotes.
func ReadVariation(text string) (Variation, error) {
	key, values, ok := strings.Cut(text, "=")
	v := Variation{Key: key}
	var err error
	if ok && key != "" && values != "" {
		v.Values, err = csv.NewReader(strings.NewReader(values)).Read()
	}
	switch {
	case err != nil || len(v.Values) == 0:
		return v, fmt.Errorf("got %q, want KEY=V1,V2 or KEY=VALUE, as in bf_window=1440,5760, with double quotes about a value that has commas", text)
	case len(slices.Compact(slices.Sorted(slices.Values(v.Values)))) < len(v.Values):
		return v, fmt.Errorf("got %q, want values that differ", text)
	default:
		return v, nil
	}
}

// Vary returns a policy under each combination of the values. The policy as it is comes before a
// single combination.
func Vary(base policy.Policy, variations ...Variation) ([]policy.Policy, []compare.Sweep, error) {
	var keys []string
	for _, v := range variations {
		if slices.Contains(keys, v.Key) {
			return nil, nil, fmt.Errorf("%s: got it twice, want all its values at once: %s=V1,V2", v.Key, v.Key)
		}
		keys = append(keys, v.Key)
	}
	if n := countCombinations(variations); n > mostRuns {
		return nil, nil, fmt.Errorf("%s: got %d combinations of values, want at most %d policies", strings.Join(keys, ", "), n, mostRuns)
	}
	all := combinations(variations)
	var made []policy.Policy
	if len(all) == 1 {
		made = append(made, base)
	}
	var names []string
	var faults []error
	for _, c := range all {
		names = append(names, c.name(base.Name, false))
		p, err := base.Change(names[len(names)-1], c.settings()...)
		made, faults = append(made, p), append(faults, err)
	}
	return made, addSweeps(nil, base.Name, false, all, names), errors.Join(faults...)
}

// combination is a value of each setting, in the order of the file.
type combination []chosen

// chosen is one value of a setting, several if there are others of it.
type chosen struct {
	policy.Setting
	several bool
}

// variationsOf are the settings of an entry of policies.
func variationsOf(settings *input.Mapping) []Variation {
	var list []Variation
	for _, key := range settings.Keys {
		value, _ := settings.Peek(key)
		list = append(list, Variation{key, words(value)})
	}
	return list
}

// countCombinations is the number of combinations; it grows no more near the largest integer.
func countCombinations(settings []Variation) int {
	n := 1
	for _, v := range settings {
		several := max(1, len(v.Values))
		n = min(n, math.MaxInt/several) * several
	}
	return n
}

// combinations are all of the settings' values, the last setting changing fastest.
func combinations(settings []Variation) []combination {
	all := []combination{nil}
	for _, v := range settings {
		if len(v.Values) == 0 {
			// That is a fault already; the others are found all the same.
			continue
		}
		var longer []combination
		for _, before := range all {
			for _, word := range v.Values {
				longer = append(longer, append(slices.Clone(before), chosen{policy.Setting{Key: v.Key, Value: word}, len(v.Values) > 1}))
			}
		}
		all = longer
	}
	return all
}

// name of the policy: what it is made from and its settings, as in "auction+window=100". Under a name of its own only
// settings of several values are named.
func (c combination) name(stem string, own bool) string {
	parts := []string{stem}
	for _, s := range c {
		if s.several || !own {
			parts = append(parts, s.Word())
		}
	}
	return policy.JoinName(parts...)
}

func (c combination) settings() []policy.Setting {
	var list []policy.Setting
	for _, s := range c {
		list = append(list, s.Setting)
	}
	return list
}
