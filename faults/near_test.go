package faults_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/faults"
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
