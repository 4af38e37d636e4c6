package kinds

import (
	"fmt"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/containers/slurm/frontend"
	"github.com/slurmlab/slurmlab/faults"
)

// Kind is a way to emulate a cluster.
type Kind interface {
	// Series is the release series of Slurm, such as "24.11", by which people choose the
	// kind.
	Series() string
	// About says in a few words what the kind is good for.
	About() string
	// Image is the name of the image that "make image" builds.
	Image() string
	// Nodes are those of a cluster.
	Nodes(conf.Spec) boot.Nodes
}

// All returns the kinds, the default first.
func All() []Kind { return []Kind{frontend.Kind{}, external.Kind{}} }

// Find returns the kind with a release series of Slurm.
func Find(series string) (Kind, error) {
	var known []string
	for _, k := range All() {
		if k.Series() == series {
			return k, nil
		}
		known = append(known, k.Series())
	}
	return nil, fmt.Errorf("slurm: %q is not allowed, want %s", series, faults.Or(known))
}
