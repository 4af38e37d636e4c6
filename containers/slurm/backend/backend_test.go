package backend_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// A kind is found by its name, and its Slurm is in its image.
func TestKinds(t *testing.T) {
	for _, k := range backend.All() {
		found, err := backend.Find(k.Name())
		if err != nil || found != k {
			t.Errorf("%q finds %v, %v", k.Name(), found, err)
		}
		if !strings.HasPrefix(k.Name(), k.Series()) {
			t.Errorf("the name %q does not begin with its series %q", k.Name(), k.Series())
		}
	}
}

// A machine that a kind cannot have is refused with the kinds that have it.
func TestFit(t *testing.T) {
	for _, k := range backend.All() {
		most := k.MaxNodes()
		if most == 0 {
			if err := backend.Fit(k.Name(), 1<<20, false); err != nil {
				t.Errorf("%s: %v", k.Name(), err)
			}
			continue
		}
		if err := backend.Fit(k.Name(), most, false); err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
		err := backend.Fit(k.Name(), most+1, false)
		if err == nil {
			t.Errorf("%s has more than its most nodes", k.Name())
			continue
		}
		for _, other := range backend.All() {
			if named := strings.Contains(err.Error(), "or --slurm "+other.Name()); named != (other.MaxNodes() == 0) {
				t.Errorf("%v: names %s: %t", err, other.Name(), named)
			}
		}
	}
	for _, k := range backend.All() {
		err := backend.Fit(k.Name(), 2, true)
		if k.Groups() != (err == nil) || err != nil && !strings.HasSuffix(err.Error(), "with --slurm "+k.Name()+", want --slurm 26.05") {
			t.Errorf("groups of nodes with %s: %v", k.Name(), err)
		}
	}
	if err := backend.Fit("25.05", 1, false); err == nil || !strings.Contains(err.Error(), `slurm: "25.05" is not allowed`) {
		t.Errorf("an unknown kind gives %v", err)
	}
}
