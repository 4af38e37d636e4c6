package highs

import (
	"errors"

	"github.com/slurmlab/slurmlab/plugin-bridge/packing"
)

// ErrNotBuilt is returned by New in a program built without the tag highs.
var ErrNotBuilt = errors.New("built without HiGHS (build tag highs, cgo)")

// New returns HiGHS, or ErrNotBuilt.
func New() (packing.Engine, error) { return newEngine() }
