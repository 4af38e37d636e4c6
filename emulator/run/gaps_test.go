package run

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// "Harmless faults (... any STOP of 5 s) end complete and say so" (issue 16, invariant 10). A connection that is
// silent for so long is reported, and the pauses of a busy machine are not.
func TestGaps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pause []time.Duration
		want  string
	}{
		{"a sign every second", []time.Duration{time.Second, time.Second, 2 * time.Second}, ""},
		{"silent twice", []time.Duration{time.Second, 5 * time.Second, time.Second, 4 * time.Second}, "9 s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var g gaps
			// Before the first sign there is nothing to wait for.
			time.Sleep(time.Minute)
			g.mark()
			for _, d := range tt.pause {
				time.Sleep(d)
				g.mark()
			}
			g.rest()
			time.Sleep(time.Minute)
			g.mark()
			said := ""
			g.tell(func(text string) { said = text }, "%.0f s")
			if said != tt.want {
				t.Errorf("%s: said %q, want %q", tt.name, said, tt.want)
			}
		})
	}
}

// A slurmlab that goes on after it was stopped says so, whatever it was doing; the ticks
// that it missed are one.
func TestSlurmlabThatWasStoppedSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		end := whileAwake(func(text string) { said = append(said, text) })
		time.Sleep(time.Minute)
		end()
		if len(said) > 0 {
			t.Errorf("a slurmlab that was awake said %q", said)
		}
	})
	var own gaps
	own.mark()
	own.last = own.last.Add(-5 * time.Second)
	own.mark()
	said := ""
	own.tell(func(text string) { said = text }, "slurmlab was stopped for %.0f s")
	if !strings.HasPrefix(said, "slurmlab was stopped for 5 s") {
		t.Errorf("said %q", said)
	}
}
