package sbatch_test

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

func TestFeatures(t *testing.T) {
	for text, want := range map[string][]string{"": nil, "fast": {"fast"}, "fast&big": {"fast", "big"}, "a=1.5:x-y_z": {"a=1.5:x-y_z"}} {
		if got, one, err := sbatch.Features(text); err != nil || one || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	if got, one, err := sbatch.Features("a|b"); err != nil || !one || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("a|b: %v, one of them: %t, %v", got, one, err)
	}
	for _, bad := range []string{"&", "a&", "|", "a|", "a&b|c", "[a*2&b]", "(a)", "!a", "a b", "a,b"} {
		if got, _, err := sbatch.Features(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, got)
		}
	}
}

func TestLicences(t *testing.T) {
	for text, want := range map[string][]sbatch.Licence{"": nil, "fluent": {{"fluent", 1}}, "matlab:2,fluent;a:3": {{"matlab", 2}, {"fluent", 1}, {"a", 3}}} {
		if got, err := sbatch.Licences(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"a:0", "a:x", "a:", "a|b", "a:-1", "a:12345678901"} {
		if got, err := sbatch.Licences(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, got)
		}
	}
}

func FuzzWishes(f *testing.F) {
	for _, text := range []string{"matlab:2,fluent", "fast&big", "a|b", "a:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if names, _, err := sbatch.Features(text); err == nil && slices.Contains(names, "") {
			t.Errorf("%q: a feature without a name", text)
		}
		licences, err := sbatch.Licences(text)
		if err == nil && slices.ContainsFunc(licences, func(l sbatch.Licence) bool { return l.Count < 1 }) {
			t.Errorf("%q: %v", text, licences)
		}
	})
}
