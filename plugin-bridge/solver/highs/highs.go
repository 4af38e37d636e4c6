package highs

import (
	"errors"

	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// ErrNotBuilt is returned by New in a program built without the tag highs.
var ErrNotBuilt = errors.New("built without HiGHS (build tag highs, cgo)")

// Engine is HiGHS: for the stages of package packing, and for programs of any
// form.
type Engine struct{ packing.Engine }

// New returns HiGHS, or ErrNotBuilt.
func New() (Engine, error) {
	e, err := newEngine()
	return Engine{e}, err
}
