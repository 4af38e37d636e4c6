package faults_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/internal/faults"
)

func TestErr(t *testing.T) {
	cause := errors.New("cause")
	l := faults.List{Name: "a.csv"}
	if l.Err() != nil || l.Len() != 0 {
		t.Errorf("an empty list has the error %v", l.Err())
	}
	l.Addf(7, "cores: got %d", 0)
	l.Add(0, cause)
	l.Addf(2, "second")
	l.Addf(7, "after the first of its line")
	want := "a.csv: cause\na.csv:2: second\na.csv:7: cores: got 0\na.csv:7: after the first of its line"
	if got := strings.Join(l.Texts(), "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := l.Err(); err.Error() != want || !errors.Is(err, cause) || l.Len() != 4 {
		t.Errorf("got %q, want %q", err, want)
	}
	var unnamed faults.List
	unnamed.Add(0, cause)
	if err := unnamed.Err(); err.Error() != "cause" {
		t.Errorf("got %q", err)
	}
}

// The first faults by line are named in the order of their coming, the others are
// counted.
func TestFirstLinesAreNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.IntRange(1, 30), 1, 60).Draw(t, "lines")
		l := faults.List{Name: "x"}
		for i, line := range lines {
			l.Addf(line, "%03d", i)
		}
		var want []string
		for line := 1; line <= 30; line++ {
			for i, at := range lines {
				if at == line && len(want) < faults.Most {
					one := faults.List{Name: "x"}
					one.Addf(line, "%03d", i)
					want = append(want, one.Err().Error())
				}
			}
		}
		got := strings.Split(l.Err().Error(), "\n")
		if more := len(lines) - faults.Most; more > 0 {
			if tail := got[len(got)-1]; !strings.HasPrefix(tail, "x: ") || !strings.HasSuffix(tail, " more faults") {
				t.Fatalf("got %q", tail)
			}
			got = got[:len(got)-1]
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestFault(t *testing.T) {
	for want, f := range map[string]faults.Fault{
		"cores: got 0, allowed 1..8": {File: "a", Line: 3, Of: "n1", Field: "cores", Problem: "got 0", Allowed: "1..8"},
		"got 0, allowed 1..8":        {Problem: "got 0", Allowed: "1..8"},
		"user: allowed a name":       {Field: "user", Allowed: "a name"},
		"extra: broken":              {Problem: "extra: broken"},
	} {
		if f.Error() != want {
			t.Errorf("got %q, want %q", f, want)
		}
	}
}

// Each file's faults stand together, in the order of their lines.
func TestJoin(t *testing.T) {
	err := faults.Join([]faults.Fault{{File: "b", Line: 2, Problem: "x"}, {File: "a", Line: 1, Problem: "y"}, {File: "b", Line: 1, Problem: "z"}, {Problem: "of none"}})
	if want := "b:1: z\nb:2: x\na:1: y\nof none"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if faults.Join(nil) != nil {
		t.Error("no fault is an error")
	}
}
