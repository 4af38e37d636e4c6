package trace

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseNodeList(t *testing.T) {
	tests := []struct {
		text string
		want []int
	}{
		{"", nil},
		{"None assigned", nil},
		{"n1", []int{0}},
		{"n12", []int{11}},
		{"n[1-4,8]", []int{0, 1, 2, 3, 7}},
		{"n[1-4,8],n12", []int{0, 1, 2, 3, 7, 11}},
		{"n12,n[3-4]", []int{2, 3, 11}},
		{"n[5-5]", []int{4}},
	}
	for _, test := range tests {
		got, err := parseNodeList(test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestParseNodeListFaults(t *testing.T) {
	for _, text := range []string{
		"x1", "n", "n0", "n01", "n-1", "n[1-2", "n[2-1]", "n[]", "n[1,]", "n1,", "n1n2",
		"n[1-2]n3", ",n1", "n1,,n2", "n[1-3],n2", "n1,n1", "n[1-70000]", "n99999999999999999999", "n[1-2]]", "n 1",
	} {
		if got, err := parseNodeList(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

// Whatever list of nodes is written as a Batsim interval set, it comes back.
func TestIntervalsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOfDistinct(rapid.IntRange(0, 40), rapid.ID[int]).Draw(t, "set")
		slices.Sort(set)
		text := intervals(set)
		got, err := parseIntervals(text)
		if err != nil || !slices.Equal(got, set) {
			t.Fatalf("%v -> %q -> %v, %v", set, text, got, err)
		}
	})
	if got := intervals([]int{0, 1, 2, 3, 7}); got != "0-3 7" {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"3-1", "1 1", "2 1", "a", "1-", "-1", "1  2", "70000"} {
		if got, err := parseIntervals(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func FuzzParseNodeList(f *testing.F) {
	for _, seed := range []string{"n[1-4,8],n12", "None assigned", "n1", "n[1-64]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseNodeList(text)
		if err != nil {
			return
		}
		names := make([]string, len(list))
		for i, n := range list {
			names[i] = fmt.Sprintf("n%d", n+1)
		}
		again, err := parseNodeList(strings.Join(names, ","))
		if err != nil || !slices.Equal(again, list) || !slices.IsSorted(list) || len(list) > maxNodes {
			t.Errorf("%q: %v, then %v, %v", text, list, again, err)
		}
	})
}
