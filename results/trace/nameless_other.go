//go:build !linux

package trace

import (
	"errors"
	"os"
)

// nameless is nil: only Linux has files without a name.
func nameless(string) *os.File { return nil }

func link(*os.File, string) (string, error) { return "", errors.ErrUnsupported }
