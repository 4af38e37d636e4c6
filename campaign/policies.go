package campaign

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/policy"
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
		f.policies = append(f.policies, variants(v, finder{all, from.Program})...)
	}
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
	file, is := strings.CutPrefix(name, policy.ExecPrefix)
	if err != nil || !is {
		return p, err
	}
	return f.program(p, file)
}

// variants are the policies of one entry: a name, or a mapping with the keys policy,
// name and settings, each of which may have several values.
func variants(v item, all finder) []named[policy.Policy] {
	if !v.isMapping() {
		if word, good := v.word(); good {
			if p, err := all.find(word); err != nil {
				v.failAll(err)
			} else {
				return []named[policy.Policy]{{v, p}}
			}
		}
		return nil
	}
	o, _ := v.object()
	name, there := o.get("policy")
	if !there {
		v.fail("policy: missing, want the name of one")
		return nil
	}
	word, good := name.word()
	if !good {
		return nil
	}
	base, err := all.find(word)
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
	for _, c := range combinations(settings) {
		p, err := base.Change(c.name(stem, hasLabel), c.settings()...)
		if err != nil {
			v.failAll(err)
			continue
		}
		list = append(list, named[policy.Policy]{v, p})
	}
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
			parts = append(parts, s.Key+"-"+s.Value)
		}
	}
	return strings.Join(parts, "+")
}

func (c combination) settings() []policy.Setting {
	var list []policy.Setting
	for _, s := range c {
		list = append(list, s.Setting)
	}
	return list
}
