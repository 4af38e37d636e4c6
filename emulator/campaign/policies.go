package campaign

import (
	"slices"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/trace"
)

// readPolicies reads the policies, and which file has those that are not slurmlab's.
func (f *file) readPolicies(from Sources) {
	name := ""
	place := f.keys.PolicyFile
	if place.There() {
		name, _ = word(place)
	}
	all, err := from.Policies(name)
	if err != nil {
		if !place.There() {
			place = f.root.Value
		}
		place.FailAll(err)
		return
	}
	for _, v := range f.need("policies", f.keys.Policies) {
		f.policies = append(f.policies, f.variants(v, finder{all, from.Program}.find, "")...)
	}
}

// Variants reads a file that has the list "policies" of a campaign file alone. An entry without
// the key policy changes the base. It returns the settings with several values, too. The error lists all faults, each with its line and
// field.
func Variants(name string, text []byte, base string, find func(string) (policy.Policy, error)) ([]policy.Policy, []compare.Sweep, error) {
	doc := input.Open(name, text, input.Want)
	body, _ := doc.Body("variants")
	_, is := body.Entries()
	if doc.Faults.Len() == 0 && !is {
		doc.Faults.Addf(1, "document: want a list of variants, as below policies in a campaign file, such as: - {name: wide, settings: {bf_window: 5760}}")
	}
	if doc.Faults.Len() > 0 {
		return nil, nil, doc.Faults.Err()
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
	return all, f.sweeps, doc.Faults.Err()
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

// variants are the policies of one entry: a name, or a mapping with the keys policy, which is
// the usual one where it is missing, name and settings, each of which may have several values.
func (f *file) variants(v input.Value, find func(string) (policy.Policy, error), usual string) []named[policy.Policy] {
	if !v.IsMapping() {
		if text, good := word(v); good {
			if p, err := find(text); err != nil {
				v.FailAll(err)
			} else {
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
	stem, hasLabel := base.Name, k.Name.There()
	if hasLabel {
		stem, _ = word(k.Name)
	}
	settings := &input.Mapping{}
	if k.Settings.There() {
		if settings = k.Settings.Mapping(); !k.Settings.IsMapping() {
			return nil
		}
	}
	o.Done()
	var made []named[policy.Policy]
	var names []string
	all := combinations(settings)
	for _, c := range all {
		names = append(names, c.name(stem, hasLabel))
		p, err := base.Change(names[len(names)-1], c.settings()...)
		if err != nil {
			failEach(settings, err, v)
			continue
		}
		made = append(made, named[policy.Policy]{v, p})
	}
	f.addSweeps(stem, hasLabel, all, names)
	return made
}

// combination is a value of each setting, in the order of the file.
type combination []chosen

// chosen is one value of a setting, several if there are others of it.
type chosen struct {
	policy.Setting
	several bool
}

// combinations are all of the settings' values, the last setting changing fastest.
func combinations(settings *input.Mapping) []combination {
	all := []combination{nil}
	for _, key := range settings.Keys {
		value, _ := settings.Peek(key)
		values := words(value)
		if len(values) == 0 {
			// That is a fault already; the others are found all the same.
			continue
		}
		var longer []combination
		for _, before := range all {
			for _, word := range values {
				longer = append(longer, append(slices.Clone(before), chosen{policy.Setting{Key: key, Value: word}, len(values) > 1}))
			}
		}
		all = longer
	}
	return all
}

// name is that of the policy: what it is made from and its settings, as in
// "auction+window-100". Under a name of its own only settings of several values are named.
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
