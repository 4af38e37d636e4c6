//go:build !highs || !cgo

package highs

import "github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"

// Version returns the version of HiGHS, empty if it is not built in.
func Version() string { return "" }

func newEngine() (packing.Engine, error) { return nil, ErrNotBuilt }
