//go:build !linux

package run

import (
	"errors"
	"runtime"
)

// ownProcessors knows none: clusters run on Linux.
func ownProcessors() ([]int, error) {
	return nil, errors.New("find processors: not known on " + runtime.GOOS)
}
