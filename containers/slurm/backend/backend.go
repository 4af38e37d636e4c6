package backend

import (
	_ "embed"
	"errors"
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
	// Blocks says whether they may be in blocks (topology/block).
	Blocks bool
	// Events says whether nodes may go down during a run.
	Events bool
	// Stops says whether a run can be stopped and continued: a checkpoint has no processes of jobs.
	Stops bool
	// Rootless says whether a cluster needs no root, and so no Docker.
	Rootless bool
	// Scripts says whether scripts may have steps (srun), job arrays and all else of a slurmd, Daemons whether each node
	// has a slurmd of its own.
	Scripts, Daemons bool

	nodes func(conf.Spec) boot.Nodes
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

// Name is the backend in one word, for directories and tables: "external-26.05".
func (b Backend) Name() string { return string(b.Form) + "-" + b.Series }

// Label is the name of a policy in the directories of its runs: with the name of the backend where that is not the default.
func (b Backend) Label(policy string) string {
	if b == Default() {
		return policy
	}
	return policy + "-" + b.Name()
}

// Traits are what its clusters can do.
func (b Backend) Traits() Traits { return b.Form.traits() }

// Image is the name of the image that "make image" builds. All forms of a series have the same.
func (b Backend) Image() string {
	if b.Series == Default().Series {
		return "slurmlab:latest"
	}
	return "slurmlab:" + b.Series
}

// Nodes returns how a cluster has its nodes.
func (b Backend) Nodes(s conf.Spec) boot.Nodes { return b.Form.traits().nodes(s) }

// List are backends, the default first.
type List []Backend

// all reads the table once. A plan of thousands of runs asks for the form of each many times.
var all = sync.OnceValue(func() List { return slices.Clip(read(table)) })

// All returns the backends of the table.
func All() List { return all() }

// Default is the backend where nothing else is asked for.
func Default() Backend { return All()[0] }

// Of is the backend of a cluster's description.
func Of(s conf.Spec) (Backend, error) {
	b := Backend{Form(s.Form), s.Slurm}
	return b, All().Check(b)
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

// OfSeries are the backends of a series.
func (l List) OfSeries(series string) List {
	return slices.DeleteFunc(slices.Clone(l), func(b Backend) bool { return b.Series != series })
}

// Which are the backends whose clusters can do something.
func (l List) Which(can func(Traits) bool) List {
	return slices.DeleteFunc(slices.Clone(l), func(b Backend) bool { return !can(b.Traits()) })
}

// Has says whether a backend is in the list.
func (l List) Has(b Backend) bool { return slices.Contains(l, b) }

// Forms are the forms of the list, each once.
func (l List) Forms() []string {
	return l.words(func(b Backend) string { return string(b.Form) })
}

// Series are the Slurms of the list, each once.
func (l List) Series() []string { return l.words(func(b Backend) string { return b.Series }) }

func (l List) words(of func(Backend) string) []string {
	var words []string
	for _, b := range l {
		if !slices.Contains(words, of(b)) {
			words = append(words, of(b))
		}
	}
	return words
}

// String lists the forms: "external, frontend or slurmd".
func (l List) String() string { return faults.Or(l.Forms()) }

// Flags lists the forms as values of --backend.
func (l List) Flags() string {
	return faults.Or(l.words(func(b Backend) string { return "--backend " + string(b.Form) }))
}

// Check reports a backend that is none of the list.
func (l List) Check(b Backend) error {
	if l.Has(b) {
		return nil
	}
	// An empty word allows all in a choice.
	if err := errors.Join(l.CheckForm(string(b.Form)), l.CheckSeries(b.Series)); err != nil {
		return err
	}
	_, err := l.candidates(Choice(b))
	return err
}

// Fit reports a backend that has fewer nodes than a machine needs, or has equal nodes only. groups says that the machine's
// nodes differ.
func (l List) Fit(b Backend, nodes int, groups bool) error {
	fit := l.Which(Needs{Nodes: nodes, Groups: groups}.Met)
	switch {
	case !l.Has(b) || fit.Has(b):
		return nil
	case groups && !b.Traits().Groups:
		return fmt.Errorf("machine: groups of nodes are not allowed with --backend %s, want %s", b.Form, fit.Flags())
	default:
		return fmt.Errorf("machine: %d nodes are not allowed with --backend %s, want at most %d, or %s",
			nodes, b.Form, b.Traits().MaxNodes, fit.Flags())
	}
}

// CheckBlocks reports a backend whose Slurm has no topology/block, if the machine has blocks.
func (l List) CheckBlocks(b Backend, blocks bool) error {
	able := l.Which(func(t Traits) bool { return t.Blocks })
	if !blocks || !l.Has(b) || able.Has(b) {
		return nil
	}
	return fmt.Errorf("machine: blocks of nodes are not allowed with --backend %s, want %s", b.Form, able.Flags())
}

// CheckEvents reports a backend on whose clusters no events can happen.
func (l List) CheckEvents(b Backend) error {
	able := l.Which(func(t Traits) bool { return t.Events })
	if !l.Has(b) || able.Has(b) {
		return nil
	}
	return fmt.Errorf("events: not allowed with --backend %s, want %s", b.Form, able.Flags())
}
