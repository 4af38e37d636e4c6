package slurmctl_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// sshare(1): NormShares are the shares of a user or account as a part of all
// assigned shares.
func TestParseShares(t *testing.T) {
	const text = "root|||1000\n root|root|1|100\n alice||3|900\n  alice|root|1|200\n  alice|ann|1|700\n bob||1|0\n  carol||2|0\n  dave||6|0\n  eve||parent|0\n"
	got, usage, err := slurmctl.ParseShares([]byte(text))
	want := map[string]float64{"root": 0.2, "alice": 0.6, "bob": 0.2, "carol": 0.05, "dave": 0.15}
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Fatalf("got %v, %v, want %v", got, err, want)
	}
	if used := map[string]float64{"root": 100, "alice": 900}; !maps.Equal(usage, used) {
		t.Errorf("got usage %v, want %v", usage, used)
	}
	for account, share := range want {
		if math.Abs(got[account]-share) > 1e-12 {
			t.Errorf("%s: got %g, want %g", account, got[account], share)
		}
	}
	for _, c := range []struct{ old, new, field string }{
		{" alice||3|", " alice||many|", "RawShares"},
		{" alice||3", "   alice||3", "Account"},
		{" alice||3", "alice||3", "Account"},
		{" alice||3|", " alice|3|", ""},
		{"||6", "||-6", "RawShares"},
		{"|700", "|-700", "RawUsage"},
		{"|700", "|many", "RawUsage"},
	} {
		_, _, err := slurmctl.ParseShares([]byte(strings.Replace(text, c.old, c.new, 1)))
		var fault *slurmctl.ParseError
		if !errors.As(err, &fault) || fault.Field != c.field {
			t.Errorf("%q: got %v, want a fault of %q", c.new, err, c.field)
		}
	}
}

// argvRunner keeps the commands and answers nothing.
type argvRunner [][]string

func (r *argvRunner) Run(_ context.Context, _ []byte, argv ...string) ([]byte, error) {
	*r = append(*r, argv)
	return nil, nil
}

// execve(2): "the limit per string is 32 pages (the kernel constant
// MAX_ARG_STRLEN)", with the byte at its end.
func TestAddAccountsFitsArguments(t *testing.T) {
	const longest = 32 * 4096
	rapid.Check(t, func(t *rapid.T) {
		names := make([]string, rapid.SampledFrom([]int{0, 1, 2, 6000, 40_000}).Draw(t, "names"))
		width := rapid.IntRange(5, 60).Draw(t, "width")
		for i := range names {
			names[i] = fmt.Sprintf("u%0*d", width, i)
		}
		var runner argvRunner
		client := slurmctl.Client{Runner: &runner}
		if err := client.AddAccounts(t.Context(), names...); err != nil {
			t.Fatal(err)
		}
		var accounts []string
		for i := 0; i < len(runner); i += 2 {
			add, associate := runner[i], runner[i+1]
			list := add[len(add)-1]
			if !slices.Equal(add[:4], []string{"sacctmgr", "-i", "add", "account"}) ||
				!slices.Equal(associate, []string{"sacctmgr", "-i", "add", "user", "root", "account=" + list}) {
				t.Fatalf("got %.100q, then %.100q", add, associate)
			}
			if len("account="+list)+1 > longest {
				t.Fatalf("an argument of %d bytes", len("account="+list)+1)
			}
			accounts = append(accounts, strings.Split(list, ",")...)
		}
		if !slices.Equal(accounts, names) {
			t.Fatalf("%d accounts of %d names", len(accounts), len(names))
		}
		if all := len(strings.Join(names, ",")); len(runner)/2 > 2+2*all/longest*2 {
			t.Fatalf("%d commands for %d bytes", len(runner), all)
		}
	})
}

func FuzzParseShares(f *testing.F) {
	f.Add([]byte("root|||0\n root|root|1|0\n alice||3|7\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		shares, _, err := slurmctl.ParseShares(text)
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
