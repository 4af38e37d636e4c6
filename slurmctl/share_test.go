package slurmctl_test

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// sshare(1): NormShares are the shares of a user or account as a part of all
// assigned shares.
func TestParseShares(t *testing.T) {
	const text = "root||\n root|root|1\n alice||3\n  alice|root|1\n bob||1\n  carol||2\n  dave||6\n  eve||parent\n"
	got, err := slurmctl.ParseShares([]byte(text))
	want := map[string]float64{"root": 0.2, "alice": 0.6, "bob": 0.2, "carol": 0.05, "dave": 0.15}
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Fatalf("got %v, %v, want %v", got, err, want)
	}
	for account, share := range want {
		if math.Abs(got[account]-share) > 1e-12 {
			t.Errorf("%s: got %g, want %g", account, got[account], share)
		}
	}
	for _, c := range []struct{ old, new, field string }{
		{" alice||3", " alice||many", "RawShares"},
		{" alice||3", "   alice||3", "Account"},
		{" alice||3", "alice||3", "Account"},
		{" alice||3", " alice|3", ""},
		{"||6", "||-6", "RawShares"},
	} {
		_, err := slurmctl.ParseShares([]byte(strings.Replace(text, c.old, c.new, 1)))
		var fault *slurmctl.ParseError
		if !errors.As(err, &fault) || fault.Field != c.field {
			t.Errorf("%q: got %v, want a fault of %q", c.new, err, c.field)
		}
	}
}

func FuzzParseShares(f *testing.F) {
	f.Add([]byte("root||\n root|root|1\n alice||3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		shares, err := slurmctl.ParseShares(text)
		var fault *slurmctl.ParseError
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("got %v, want a *ParseError", err)
		}
		for account, s := range shares {
			if s <= 0 || math.IsNaN(s) {
				t.Errorf("%q has a share of %g", account, s)
			}
		}
	})
}
