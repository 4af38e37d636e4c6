//go:build !highs || !cgo

package highs

import (
	"errors"
	"testing"
)

func TestNotBuilt(t *testing.T) {
	if s, err := New(Options{}); !errors.Is(err, ErrNotBuilt) || s != nil {
		t.Errorf("New = %v, %v", s, err)
	}
	if Version() != "" {
		t.Errorf("Version = %q", Version())
	}
}
