package campaign

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
)

// readPolicies reads the policies, and which file has those that are not slurmlab's.
func (f *file) readPolicies(from Sources) {
	name := ""
	place, there := f.root.get("policy_file")
	if there {
		name, _ = place.word()
	}
	all, err := from.Policies(name)
	if err != nil {
		if !there {
			place = f.root.item
		}
		place.failAll(err)
		f.root.asked = append(f.root.asked, "policies")
		return
	}
	for _, v := range f.need("policies") {
		f.policies = append(f.policies, f.variants(v, finder{all, from.Program}.find, "")...)
	}
}

// Variants reads a file that has the list "policies" of a campaign file alone. An entry without
// the key policy changes the base. It returns the settings with several values, too. The error lists all faults, each with its line and
// field.
func Variants(name string, text []byte, base string, find func(string) (policy.Policy, error)) ([]policy.Policy, []compare.Sweep, error) {
	doc := &document{}
	doc.faults.Name = name
	body, line, err := input.Parse(text)
	if err != nil {
		doc.faults.Add(line, err)
		return nil, nil, doc.faults.Err()
	}
	if _, is := body.(*ast.SequenceNode); !is {
		doc.faults.Addf(1, "document: want a list of variants, as below policies in a campaign file, such as: - {name: wide, settings: {bf_window: 5760}}")
		return nil, nil, doc.faults.Err()
	}
	f := &file{doc: doc}
	for _, v := range (item{doc: doc, path: "variants", node: body}).list() {
		f.policies = append(f.policies, f.variants(v, find, base)...)
	}
	unique(f.policies, func(p named[policy.Policy]) (item, string) { return p.item, p.value.Name })
	var all []policy.Policy
	for _, p := range f.policies {
		all = append(all, p.value)
	}
	return all, f.sweeps, doc.faults.Err()
}

// readTwins has each policy there twice in an A/A campaign, which shows how often equal policies
// are called different.
func (f *file) readTwins() {
	v, there := f.root.get("aa")
	if !there {
		return
	}
	word, good := v.word()
	if !good || word != "true" && word != "false" {
		v.fail("got %s, want true or false", v.kind())
		return
	}
	if word == "false" {
		return
	}
	for _, p := range slices.Clone(f.policies) {
		twin := p
		var err error
		if twin.value, err = p.value.Change(p.value.Name + Again); err != nil {
			v.failAll(err)
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
func (f *file) variants(v item, find func(string) (policy.Policy, error), usual string) []named[policy.Policy] {
	if !v.isMapping() {
		if word, good := v.word(); good {
			if p, err := find(word); err != nil {
				v.failAll(err)
			} else {
				return []named[policy.Policy]{{v, p}}
			}
		}
		return nil
	}
	o, _ := v.object()
	name, there := o.get("policy")
	word, good := usual, true
	switch {
	case there:
		word, good = name.word()
	case usual == "":
		v.fail("policy: missing, want the name of one")
		good = false
	default:
		name = v
	}
	if !good {
		return nil
	}
	base, err := find(word)
	if err != nil {
		name.failAll(err)
		return nil
	}
	label, hasLabel := o.get("name")
	stem := base.Name
	if hasLabel {
		stem, _ = label.word()
	}
	var settings object
	if s, has := o.get("settings"); has {
		if settings, good = s.object(); !good {
			return nil
		}
	}
	o.done()
	var list []named[policy.Policy]
	var names []string
	made := combinations(settings)
	for _, c := range made {
		names = append(names, c.name(stem, hasLabel))
		p, err := base.Change(names[len(names)-1], c.settings()...)
		if err != nil {
			settings.failEach(err, v)
			continue
		}
		list = append(list, named[policy.Policy]{v, p})
	}
	f.addSweeps(stem, hasLabel, made, names)
	return list
}

// combination is a value of each setting, in the order of the file.
type combination []chosen

// chosen is one value of a setting, several if there are others of it.
type chosen struct {
	policy.Setting
	several bool
}

// combinations are all of the settings' values, the last setting changing fastest.
func combinations(o object) []combination {
	all := []combination{nil}
	for _, key := range o.order {
		words := o.values[key].words()
		if len(words) == 0 {
			// That is a fault already; the others are found all the same.
			continue
		}
		var longer []combination
		for _, before := range all {
			for _, word := range words {
				longer = append(longer, append(slices.Clone(before), chosen{policy.Setting{Key: key, Value: word}, len(words) > 1}))
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
