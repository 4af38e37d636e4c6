package boot

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// savedUsage is what a slurmctld of Slurm 26.05.5 saved that had begun with usage, priority/basic and no jobs.
const savedUsage = "2d00000000006efaa50b" +
	"0000000200000009302e3030303030300000000000000000000000000800000009302e3030303030300000000000000000" +
	"000000000c00000009302e3030303030300000000000000000000000000d0000000e3230303030302e303030303030000000000000000000" +
	"0000000e00000009302e3030303030300000000000000000000000000a000000113430303030303030302e303030303030000000000000000000" +
	"000000040000000e3730303030302e303030303030000000000000000000000000060000000f333030303030302e303030303030000000000000000000"

// The records equal slurmctld's byte for byte, under the header that was there.
func TestPacksUsage(t *testing.T) {
	want, err := hex.DecodeString(savedUsage)
	if err != nil {
		t.Fatal(err)
	}
	all := []associationUsage{{2, 0}, {8, 0}, {12, 0}, {13, 200_000}, {14, 0}, {10, 400_000_000}, {4, 700_000}, {6, 3_000_000}}
	if got, err := packUsage(want, all); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %x, %v\nwant %x", got, err, want)
	}
	if _, err := packUsage(want[:9], all); err == nil {
		t.Error("a file without a header is taken")
	}
}

// An association of a user with one partition, and one of an account, are none of a user.
func TestUsageOf(t *testing.T) {
	l := layout.Layout{Accounts: []layout.Account{
		{Name: "bio", Users: []layout.User{{Name: "anna", Usage: 7}, {Name: "bob"}}},
		{Name: "geo", Users: []layout.User{{Name: "anna", Usage: layout.MaxUsage}}},
	}}
	const answer = "1|root||\n2|root|root|\n3|bio||\n4|bio|anna|gpu\n5|bio|anna|\n6|bio|bob|\n7|geo||\n8|geo|anna|\n"
	got, err := usageOf(l, answer)
	if want := []associationUsage{{5, 7}, {8, layout.MaxUsage}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, c := range []struct{ answer, want string }{
		{strings.ReplaceAll(answer, "8|geo|anna|\n", ""), "give user anna of account geo its usage: slurmdbd has no such user"},
		{"5|bio|anna", `ask for the associations of users: got "5|bio|anna", want 4 columns`},
		{"five|bio|anna|", `ask for the associations of users: strconv.Atoi: parsing "five": invalid syntax`},
	} {
		if _, err := usageOf(l, c.answer); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// The slurmctld that starts next decays usage from its own start on.
func TestLeavesUsage(t *testing.T) {
	dir := t.TempDir()
	if err := leaveUsage(dir, nil); err == nil {
		t.Error("usage is left without a file of slurmctld")
	}
	for _, name := range []string{usageFile, decayFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("0123456789 of the past"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := leaveUsage(dir, []associationUsage{{1, 5}}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, usageFile))
	if want := "0123456789\x00\x00\x00\x01\x00\x00\x00\x095.000000" + strings.Repeat("\x00", 9); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := os.Stat(filepath.Join(dir, decayFile)); !os.IsNotExist(err) {
		t.Errorf("the last decay is still there: %v", err)
	}
}
