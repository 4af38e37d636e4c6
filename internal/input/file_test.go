package input

import "testing"

func TestIsName(t *testing.T) {
	for _, name := range []string{"a", "größe", "été 2026", "作業 1", "-x", "a.b_c", "jobs (1)", `a"b`, "ǆ́", "…"} {
		if !IsName(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b", "a\tb", "a\nb", "a\x00b", "\xff", "\u202e"} {
		if IsName(name) {
			t.Errorf("%q is taken", name)
		}
	}
}
