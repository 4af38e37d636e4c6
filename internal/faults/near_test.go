package faults_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/internal/faults"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"fifo", "backfill", "auction", "auction1", "ESP-2.gpu", "größe"}
	for _, c := range []struct{ word, want string }{
		{"auctoin", `; did you mean "auction"?`},
		{"Backfil", `; did you mean "backfill"?`},
		{"auction3", `; did you mean "auction"?`}, // the first of equally near ones
		{"esp-2.gpux", `; did you mean "ESP-2.gpu"?`},
		{"grossee", ""}, // three letters off
		{"s", ""},
		{"x", ""},
		{"grösse", `; did you mean "größe"?`},
		{"back", `; did you mean "backfill"?`},
		{"fcfs", `; did you mean "fifo"?`},
		{"slurm", ""},
		{"", ""},
	} {
		if got := faults.DidYouMean(c.word, known); got != c.want {
			t.Errorf("of %q: got %q, want %q", c.word, got, c.want)
		}
	}
}

func TestAllowed(t *testing.T) {
	short := []string{"fifo", "backfill"}
	long := []string{"fifo", "backfill", "a1", "a2", "a3", "a4", "a5", "a6", "a7"}
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"fifi", short, `, allowed are fifo, backfill; did you mean "fifo"?`},
		{"slurm", short, ", allowed are fifo, backfill"},
		{"fifi", long, `; did you mean "fifo"? all are listed by: slurmlab policy list`},
		{"slurm", long, "; the 9 that are known are listed by: slurmlab policy list"},
	} {
		if got := faults.Allowed(c.word, c.known, "slurmlab policy list"); got != c.want {
			t.Errorf("of %q: got %q, want %q", c.word, got, c.want)
		}
	}
}

func TestOr(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := faults.Or(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}
