package values

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestHostNumbers(t *testing.T) {
	tests := []struct {
		text string
		want []int
	}{
		{"", nil},
		{"n1", []int{1}},
		{"n12", []int{12}},
		{"n[1-4,8]", []int{1, 2, 3, 4, 8}},
		{"n[1-4,8],n12", []int{1, 2, 3, 4, 8, 12}},
		{"n12,n[3-4]", []int{3, 4, 12}},
		{"n[5-5]", []int{5}},
	}
	for _, test := range tests {
		got, err := HostNumbers(test.text, "n")
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestHostNumbersFaults(t *testing.T) {
	for _, text := range []string{
		"x1", "n", "n0", "n01", "n-1", "n[1-2", "n[2-1]", "n[]", "n[1,]", "n1,", "n1n2",
		"n[1-2]n3", ",n1", "n1,,n2", "n[1-3],n2", "n1,n1", "n[1-70000]", "n99999999999999999999", "n[1-2]]", "n 1", "None assigned", "n[1-03]",
	} {
		if got, err := HostNumbers(text, "n"); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func FuzzHostNumbers(f *testing.F) {
	for _, seed := range []string{"n[1-4,8],n12", "n1", "n[1-64]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := HostNumbers(text, "n")
		if err != nil {
			return
		}
		names := make([]string, len(list))
		for i, n := range list {
			names[i] = fmt.Sprintf("n%d", n)
		}
		again, err := HostNumbers(strings.Join(names, ","), "n")
		if err != nil || !slices.Equal(again, list) || !slices.IsSorted(list) || len(list) > MaxHosts {
			t.Errorf("%q: %v, then %v, %v", text, list, again, err)
		}
	})
}
