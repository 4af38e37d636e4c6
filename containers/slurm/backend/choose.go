package backend

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Choice is the backend that somebody asks for. What is empty follows from what is run.
type Choice Backend

// Needs are what is asked of a cluster.
type Needs struct {
	// Nodes is their number, Groups says that they differ, Blocks that they are in blocks.
	Nodes          int
	Groups, Blocks bool
	// The others are needed traits.
	Events, Stops, Rootless, Scripts, Daemons bool
}

// lacking names the needs that a form does not meet.
func (n Needs) lacking(t Traits) []string {
	var words []string
	for _, need := range []struct {
		asked, met bool
		word       string
	}{
		{n.Groups, t.Groups, "nodes that differ"},
		{n.Blocks, t.Blocks, "blocks of nodes"},
		{t.MaxNodes > 0 && n.Nodes > t.MaxNodes, false, fmt.Sprintf("%d nodes", n.Nodes)},
		{n.Events, t.Events, "events"},
		{n.Stops, t.Stops, "checkpoints"},
		{n.Rootless, t.Rootless, "clusters without root"},
		{n.Scripts, t.Scripts, "srun, steps and job arrays"},
		{n.Daemons, t.Daemons, "slurmd of each node"},
	} {
		if need.asked && !need.met {
			words = append(words, need.word)
		}
	}
	return words
}

// Met says whether a form meets all needs.
func (n Needs) Met(t Traits) bool { return len(n.lacking(t)) == 0 }

// Lacking lists the needs that a form does not meet.
func (n Needs) Lacking(t Traits) string { return strings.Join(n.lacking(t), " and ") }

// CheckForm refuses a form that no backend has.
func (l List) CheckForm(form string) error {
	if slices.Contains(l.Forms(), form) {
		return nil
	}
	return fmt.Errorf("backend: %q is not allowed, want %s%s", form, l, faults.DidYouMean(form, l.Forms()))
}

// CheckSeries refuses a series that no backend has.
func (l List) CheckSeries(word string) error {
	if slices.Contains(l.Series(), word) {
		return nil
	}
	want := faults.Or(l.Series())
	series, form, both := strings.Cut(word, "-")
	if named := (Backend{Form(form), series}); both && l.Has(named) {
		want = fmt.Sprintf("--backend %s --slurm %s", form, series)
	}
	return fmt.Errorf("slurm: %q is not allowed, want %s", word, want)
}

// candidates are the backends that a choice allows, which are one at least without an error.
func (l List) candidates(c Choice) (List, error) {
	var bad []error
	if c.Form != "" {
		bad = append(bad, l.CheckForm(string(c.Form)))
	}
	if c.Series != "" {
		bad = append(bad, l.CheckSeries(c.Series))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	is := func(form Form, series string) List {
		return slices.DeleteFunc(slices.Clone(l), func(b Backend) bool { return form != "" && b.Form != form || series != "" && b.Series != series })
	}
	found := is(c.Form, c.Series)
	if len(found) == 0 {
		return nil, fmt.Errorf("slurm: %s is not allowed with --backend %s, want --slurm %s, or %s",
			c.Series, c.Form, faults.Or(is(c.Form, "").Series()), is("", c.Series).Flags())
	}
	return found, nil
}

// Choose is the first backend that a choice allows and that meets the needs. Where none meets them it is the first one that
// the choice allows, and the need is a fault of its own ([List.Fit], [List.CheckEvents]). reason says why a form was taken that
// is neither the default's nor named by the choice.
func (l List) Choose(c Choice, n Needs) (chosen Backend, reason string, err error) {
	found, err := l.candidates(c)
	if err != nil {
		return Backend{}, "", err
	}
	chosen = found[0]
	if at := slices.IndexFunc(found, func(b Backend) bool { return n.Met(b.Traits()) }); at >= 0 {
		chosen = found[at]
	}
	usual := l[0].Form
	if c.Form != "" || chosen.Form == usual {
		return chosen, "", nil
	}
	lacks := n.lacking(usual.traits())
	if _, err := l.candidates(Choice{usual, c.Series}); err != nil {
		lacks = []string{"Slurm " + c.Series}
	}
	return chosen, fmt.Sprintf("backend %s, as %s has no %s", chosen.Form, usual, strings.Join(lacks, " and no ")), nil
}

// Select is what several forms and series ask for: each form with each series that it has. Where one of the lists is empty, it
// takes what Choose takes for each word of the other. Without both it is one backend. The reasons come from Choose.
func (l List) Select(forms, series []string, n Needs) (chosen List, reasons []string, err error) {
	var bad []error
	take := func(c Choice) {
		b, reason, err := l.Choose(c, n)
		if err != nil {
			bad = append(bad, err)
			return
		}
		chosen = append(chosen, b)
		if reason != "" {
			reasons = append(reasons, reason)
		}
	}
	switch {
	case len(forms) == 0 && len(series) == 0:
		take(Choice{})
	case len(forms) == 0:
		for _, s := range series {
			take(Choice{Series: s})
		}
	case len(series) == 0:
		for _, f := range forms {
			take(Choice{Form: Form(f)})
		}
	default:
		for _, f := range forms {
			for _, s := range series {
				if l.pairs(f, s, forms, series) {
					take(Choice{Form(f), s})
				}
			}
		}
	}
	return chosen, reasons, errors.Join(bad...)
}

// pairs says whether a form and a series of two lists belong together: the form has the series, or one of them has no partner
// in the other list, which is a fault.
func (l List) pairs(form, series string, forms, all []string) bool {
	has := func(f, s string) bool { return l.Has(Backend{Form(f), s}) }
	alone := !slices.ContainsFunc(all, func(s string) bool { return has(form, s) }) || !slices.ContainsFunc(forms, func(f string) bool { return has(f, series) })
	return alone || has(form, series)
}
