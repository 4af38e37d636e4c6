package run

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A cluster that speaks now and then lives; one that falls silent is dead.
func TestSilence(t *testing.T) {
	tests := []struct {
		name string
		// every is the time between two signs, until the time of the last one.
		every, until time.Duration
		want         bool
	}{
		{"speaks to the end", 5 * time.Second, time.Hour, false},
		{"just often enough", 59 * time.Second, time.Hour, false},
		{"says nothing", time.Hour, 0, true},
		{"falls silent", 5 * time.Second, 20 * time.Minute, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				var heard quiet
				go func() {
					for begin := time.Now(); ; {
						select {
						case <-time.After(tt.every):
						case <-ctx.Done():
							return
						}
						if time.Since(begin) <= tt.until {
							heard.signs.Add(1)
						}
					}
				}()
				began := time.Now()
				dead := heard.dead(ctx, silenceLimit)
				took := time.Since(began) - tt.until
				if dead != tt.want || dead && (took < (silenceLimit-5)*time.Second || took > (silenceLimit+1)*time.Second) {
					t.Errorf("dead: %t, %v after the last sign; want %t", dead, took, tt.want)
				}
			})
		})
	}
}

// "Harmless faults (... any STOP of 5 s) end complete and say so" (issue 16, invariant 10): silences of more than three seconds
// are added up. The pauses of a busy machine are none.
func TestLongSilences(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pauses []time.Duration
		want   int
	}{
		{"a sign every second", []time.Duration{time.Second, time.Second, 2 * time.Second}, 0},
		{"silent twice", []time.Duration{time.Second, 5 * time.Second, time.Second, 4 * time.Second}, 9},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			var heard quiet
			watched := make(chan bool)
			go func() { watched <- heard.dead(ctx, silenceLimit) }()
			// Signs come between two looks.
			time.Sleep(500 * time.Millisecond)
			for _, d := range tt.pauses {
				heard.signs.Add(1)
				time.Sleep(d)
			}
			heard.signs.Add(1)
			time.Sleep(time.Second)
			stop()
			if <-watched || heard.looks != tt.want {
				t.Errorf("%s: silent for %d s, want %d", tt.name, heard.looks, tt.want)
			}
		})
	}
}
