//go:build !highs || !cgo

package highs

import (
	"errors"
	"testing"
)

func TestNotBuilt(t *testing.T) {
	if e, err := New(); !errors.Is(err, ErrNotBuilt) || e.Engine != nil {
		t.Errorf("New = %v, %v", e, err)
	}
	if Version() != "" {
		t.Errorf("Version = %q", Version())
	}
}
