package backend

import (
	"fmt"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/faults"
)

// Kind is a way to emulate a cluster.
type Kind interface {
	// Name is the word by which people choose the kind.
	Name() string
	// Series is the release series of its Slurm, such as "24.11".
	Series() string
	// About says in a few words what the kind is good for.
	About() string
	// Image is the name of the image that "make image" builds.
	Image() string
	// MaxNodes is the largest number of nodes, 0 for any.
	MaxNodes() int
	// Groups says whether its nodes may differ.
	Groups() bool
	// Events says whether nodes may go down during a run.
	Events() bool
	// Nodes are those of a cluster.
	Nodes(conf.Spec) boot.Nodes
}

// All returns the kinds, the default first.
func All() []Kind { return []Kind{frontEnd{}, external{}, slurmd{}} }

// Find returns the kind with a name.
func Find(name string) (Kind, error) {
	var known []string
	for _, k := range All() {
		if k.Name() == name {
			return k, nil
		}
		known = append(known, k.Name())
	}
	return nil, fmt.Errorf("slurm: %q is not allowed, want %s", name, faults.Or(known))
}

// Fit reports a kind that is not known, has fewer nodes than a machine needs, or has equal
// nodes only; groups says that those of the machine differ.
func Fit(name string, nodes int, groups bool) error {
	fits := func(k Kind) bool {
		return (k.MaxNodes() == 0 || nodes <= k.MaxNodes()) && (!groups || k.Groups())
	}
	k, err := Find(name)
	if err != nil || fits(k) {
		return err
	}
	var others []string
	for _, other := range All() {
		if fits(other) {
			others = append(others, "--slurm "+other.Name())
		}
	}
	if groups && !k.Groups() {
		return fmt.Errorf("machine: groups of nodes are not allowed with --slurm %s, want %s", name, faults.Or(others))
	}
	return fmt.Errorf("machine: %d nodes are not allowed with --slurm %s, want at most %d, or %s",
		nodes, name, k.MaxNodes(), faults.Or(others))
}

// CheckEvents reports a known kind on whose clusters no events can happen.
func CheckEvents(name string) error {
	k, err := Find(name)
	if err != nil || k.Events() {
		return nil
	}
	var others []string
	for _, other := range All() {
		if other.Events() {
			others = append(others, "--slurm "+other.Name())
		}
	}
	return fmt.Errorf("events: not allowed with --slurm %s, want %s", name, faults.Or(others))
}
