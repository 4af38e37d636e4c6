package values

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The right column is what scontrol 24.11.5 show hostnames printed.
func TestExpandReadsWhatSlurmPrints(t *testing.T) {
	for _, c := range []struct{ list, names string }{
		{"", ""},
		{"n[1-4,8],n12", "n1 n2 n3 n4 n8 n12"},
		{"n12,n[1-4,8]", "n12 n1 n2 n3 n4 n8"},
		{"n[01-03]", "n01 n02 n03"},
		{"n[1-03]", "n1 n2 n3"},
		{"n[01-3]", "n01 n02 n03"},
		{"n[08-11]", "n08 n09 n10 n11"},
		{"n[8-11]", "n8 n9 n10 n11"},
		{"n[008-11]", "n008 n009 n010 n011"},
		{"n[098-102]", "n098 n099 n100 n101 n102"},
		{"n[09-010]", "n09 n10"},
		{"n[9-010]", "n9 n10"},
		{"n[1-2]x", "n1x n2x"},
		{"n[1-2]-ib", "n1-ib n2-ib"},
		{"n.x[1-2].y", "n.x1.y n.x2.y"},
		{"a[1-2]b[3-4]", "a1b3 a1b4 a2b3 a2b4"},
		{"a[1-2]b[03-04]c", "a1b03c a1b04c a2b03c a2b04c"},
		{"a[1-2],b[3-4]c[5-6]", "a1 a2 b3c5 b3c6 b4c5 b4c6"},
		{"n[1-2][3-4]", "n13 n14 n23 n24"},
		{"n[1-3]5", "n15 n25 n35"},
		{"n", "n"},
		{"n,m", "n m"},
		{"n1,n1", "n1 n1"},
		{"n[1-3,2-4]", "n1 n2 n3 n2 n3 n4"},
		{"[1-3]", "1 2 3"},
		{"1", "1"},
		{"1-3", "1-3"},
		{"n1-n3", "n1-n3"},
		{"n-1", "n-1"},
		{"n[5]", "n5"},
		{"n[05]", "n05"},
		{"n[0-0]", "n0"},
		{"n[00-00]", "n00"},
		{"n[99999999999-99999999999]", "n99999999999"},
		{"n[18446744073709551615]", "n18446744073709551615"},
		{"tux0xA", "tux0xA"},
		{"rack0node[00-03]", "rack0node00 rack0node01 rack0node02 rack0node03"},
		{"n[1-3],m[1-3]", "n1 n2 n3 m1 m2 m3"},
	} {
		got, err := ExpandHosts(c.list)
		if err != nil || !slices.Equal(got, strings.Fields(c.names)) {
			t.Errorf("ExpandHosts(%q) = %v, %v; want %s", c.list, got, err, c.names)
		}
	}
}

func TestExpandRefuses(t *testing.T) {
	for _, c := range []struct{ list, want string }{
		{"n[4-1]", "byte 6: range 4-1 runs backwards"},
		{"n[1", "byte 4: want ',' or ']', the bracket is not closed"},
		{"n1]", "byte 3: ']' cannot stand in a node name"},
		{"n[]", "byte 3: want a digit"},
		{"n[1-]", "byte 5: want a digit"},
		{"n[-1]", "byte 3: want a digit"},
		{"n[a-c]", "byte 3: want a digit"},
		{"n[1,,2]", "byte 5: want a digit"},
		{"n[1x]", "byte 4: want a digit, '-', ',' or ']', got 'x'"},
		{"n[1--3]", "byte 5: want a digit"},
		{"n[[1-3]]", "byte 3: want a digit"},
		{"n[1 - 3]", "byte 4: want a digit, '-', ',' or ']', got ' '"},
		{",n1", "byte 1: want a node name"},
		{"n1,", "byte 4: want a node name"},
		{"n1,,n2", "byte 4: want a node name"},
		{"n1 n2", "byte 3: ' ' cannot stand in a node name"},
		{"None assigned", "byte 5: ' ' cannot stand in a node name"},
		{"(null)", "byte 1: '(' cannot stand in a node name"},
		{"n1\x00", "byte 3: '\\x00' cannot stand in a node name"},
		// MAX_RANGE of src/common/hostlist.c is 64k.
		{"n[0-65536]", "byte 10: more than 65536 names"},
		{"n[1-40000],n[1-40000]", "more than 65536 names"},
		{"n[1-300]m[1-300]", "more than 65536 names"},
		{"n[1-40000,1-40000]", "more than 65536 names"},
		{"n[1-9999999999999999999]", "a range bound has more than 18 digits"},
	} {
		got, err := ExpandHosts(c.list)
		var syntax *HostlistError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("ExpandHosts(%q) = %d names, %v; want error with %q", c.list, len(got), err, c.want)
		}
	}
	if got, err := ExpandHosts("n[1-65536]"); err != nil || len(got) != MaxHosts {
		t.Errorf("ExpandHosts of the largest range: %d names, %v", len(got), err)
	}
}

// The right column is what scontrol 24.11.5 show hostlist printed.
func TestCompressPrintsWhatSlurmPrints(t *testing.T) {
	for _, c := range []struct{ names, list string }{
		{"", ""},
		{"n1", "n1"},
		{"n1 n2", "n[1-2]"},
		{"n2 n1", "n[2,1]"},
		{"n1 n3 n2", "n[1,3,2]"},
		{"n01 n02", "n[01-02]"},
		{"n9 n10", "n[9-10]"},
		{"n09 n10", "n[09-10]"},
		{"n1 n01", "n[1,01]"},
		{"n01 n1 n2", "n[01,1-2]"},
		{"n99 n100", "n[99-100]"},
		{"n099 n100", "n[099-100]"},
		{"n1 n1", "n[1,1]"},
		{"n1 m1 n2", "n1,m1,n2"},
		{"a1b1 a1b2", "a1b[1-2]"},
		{"a1b1 a2b1", "a1b1,a2b1"},
		{"a1b a2b", "a1b,a2b"},
		{"n m", "n,m"},
		{"n n1", "n,n1"},
		{"n1 n", "n1,n"},
		{"n00 n01", "n[00-01]"},
		{"n1x n2x", "n1x,n2x"},
		{"n8 n9 n010 n011", "n[8-9,010-011]"},
		{"n10 n9", "n[10,9]"},
		{"b2 a1 a3 b1", "b2,a[1,3],b1"},
		{"n1 n002 n3", "n[1,002,3]"},
		{"1 2 3", "[1-3]"},
		{"01 02", "[01-02]"},
		{"n1 n2 n3 n5 n7 n8 m10 m11 n20", "n[1-3,5,7-8],m[10-11],n20"},
		{"a1b1 a1b2 a2b1 a2b2", "a1b[1-2],a2b[1-2]"},
		{"n4294967294 n4294967295 n4294967296", "n[4294967294-4294967296]"},
		{"n99999999999 n100000000000", "n[99999999999-100000000000]"},
		{"n1.x n2.x", "n1.x,n2.x"},
		{"n01 n2 n03", "n[01,2,03]"},
		{"n1 n2 N3", "n[1-2],N3"},
	} {
		if got := CompressHosts(strings.Fields(c.names)); got != c.list {
			t.Errorf("CompressHosts(%s) = %q, want %q", c.names, got, c.list)
		}
	}
}

func TestExpandUndoesCompress(t *testing.T) {
	name := rapid.StringMatching(`[a-c]{0,2}[0-9]{1,3}(\.x|-ib)?|[a-z][0-9]{16,21}|n[0-9]{1,4}`)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 1, 60).Draw(t, "names")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(names)
			names = slices.Compact(names)
		}
		list := CompressHosts(names)
		got, err := ExpandHosts(list)
		if err != nil || !slices.Equal(got, names) {
			t.Fatalf("ExpandHosts(%q) = %v, %v; want %v", list, got, err, names)
		}
	})
}

func FuzzExpandHosts(f *testing.F) {
	for _, s := range []string{"n[1-4,8],n12", "n[098-102]", "a[1-2]b[03-04]c", "n[1", "[1-3]", "n[1-65536]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := ExpandHosts(list)
		if err != nil {
			return
		}
		if len(names) > MaxHosts {
			t.Fatalf("%d names", len(names))
		}
		again, err := ExpandHosts(CompressHosts(names))
		if err != nil || !slices.Equal(again, names) {
			t.Fatalf("%q: %v became %v, %v", list, names, again, err)
		}
	})
}
