package backend

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/faults"
)

//go:embed series.txt
var table string

// Form is how the nodes of a cluster are emulated.
type Form string

// The forms.
const (
	// FrontEnd has one slurmd for all nodes.
	FrontEnd Form = "frontend"
	// External has nodes that somebody else than Slurm manages, and no slurmd.
	External Form = "external"
	// OnNodes has a slurmd on every node.
	OnNodes Form = "slurmd"
)

// Traits are what the clusters of a form can do, whatever their Slurm.
type Traits struct {
	// About says in a few words what the form is good for.
	About string
	// MaxNodes is the largest number of nodes, 0 for any.
	MaxNodes int
	// Groups says whether nodes may differ.
	Groups bool
	// Events says whether nodes may go down during a run.
	Events bool
	// Stops says whether a run can be stopped and continued: a checkpoint has no processes of jobs.
	Stops bool
	// Rootless says whether a cluster needs no root, and so no Docker.
	Rootless bool

	// suffix ends the name of a backend, behind its series.
	suffix string
	nodes  func(conf.Spec) boot.Nodes
}

// traits has one case for each form.
func (f Form) traits() Traits {
	switch f {
	case FrontEnd:
		return frontEnd()
	case External:
		return external()
	case OnNodes:
		return onNodes()
	default:
		return Traits{}
	}
}

// Backend is what emulates a cluster.
type Backend struct {
	Form Form
	// Series is the release series of its Slurm, such as "24.11".
	Series string
}

// Name is the word by which people choose the backend, such as "24.11" or "26.05-slurmd".
func (b Backend) Name() string { return b.Series + b.Form.traits().suffix }

// Traits are what its clusters can do.
func (b Backend) Traits() Traits { return b.Form.traits() }

// Image is the name of the image that "make image" builds. All forms of a series have the same.
func (b Backend) Image() string {
	if b.Series == Default().Series {
		return "slurmlab:latest"
	}
	return "slurmlab:" + b.Series
}

// Nodes are those of a cluster.
func (b Backend) Nodes(s conf.Spec) boot.Nodes { return b.Form.traits().nodes(s) }

// List are backends, the default first.
type List []Backend

// all reads the table once. A plan of thousands of runs asks for the form of each many times.
var all = sync.OnceValue(func() List { return slices.Clip(read(table)) })

// All returns the backends of the table.
func All() List { return all() }

// Default is the backend of who chooses none.
func Default() Backend { return All()[0] }

// Label is the name of a policy in the directories of its runs: with the name of the backend where that is not the default.
func Label(policy, name string) string {
	if name == Default().Name() {
		return policy
	}
	return policy + "-" + name
}

// read reads a table of series.
func read(text string) List {
	var list List
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		for form := range strings.SplitSeq(fields[1], ",") {
			list = append(list, Backend{Form(form), fields[0]})
		}
	}
	return list
}

// Of is the first backend of a form, the usual one where only the form matters.
func (l List) Of(f Form) Backend {
	return l[slices.IndexFunc(l, func(b Backend) bool { return b.Form == f })]
}

// Which are the backends whose clusters can do something.
func (l List) Which(can func(Traits) bool) List {
	return slices.DeleteFunc(slices.Clone(l), func(b Backend) bool { return !can(b.Traits()) })
}

// Has says whether a backend of that name is in the list.
func (l List) Has(name string) bool { return slices.Contains(l.names(""), name) }

// String lists the names: "24.11, 26.05 or 26.05-slurmd".
func (l List) String() string { return faults.Or(l.names("")) }

// names lists the backends' names, each behind a prefix.
func (l List) names(prefix string) []string {
	var words []string
	for _, b := range l {
		words = append(words, prefix+b.Name())
	}
	return words
}

// flags lists the backends as values of --slurm.
func (l List) flags() string { return faults.Or(l.names("--slurm ")) }

// Find returns the backend with a name.
func (l List) Find(name string) (Backend, error) {
	for _, b := range l {
		if b.Name() == name {
			return b, nil
		}
	}
	return Backend{}, fmt.Errorf("slurm: %q is not allowed, want %s", name, l)
}

// Fit reports a backend that is not known, has fewer nodes than a machine needs, or has equal
// nodes only; groups says that those of the machine differ.
func (l List) Fit(name string, nodes int, groups bool) error {
	fit := l.Which(func(t Traits) bool { return (t.MaxNodes == 0 || nodes <= t.MaxNodes) && (!groups || t.Groups) })
	b, err := l.Find(name)
	if err != nil || fit.Has(name) {
		return err
	}
	if groups && !b.Traits().Groups {
		return fmt.Errorf("machine: groups of nodes are not allowed with --slurm %s, want %s", name, fit.flags())
	}
	return fmt.Errorf("machine: %d nodes are not allowed with --slurm %s, want at most %d, or %s",
		nodes, name, b.Traits().MaxNodes, fit.flags())
}

// CheckEvents reports a known backend on whose clusters no events can happen.
func (l List) CheckEvents(name string) error {
	able := l.Which(func(t Traits) bool { return t.Events })
	if !l.Has(name) || able.Has(name) {
		return nil
	}
	return fmt.Errorf("events: not allowed with --slurm %s, want %s", name, able.flags())
}
