//go:build !highs || !cgo

package highs

// Version returns the version of HiGHS, empty if it is not built in.
func Version() string { return "" }

func newEngine() (engine, error) { return nil, ErrNotBuilt }
