package run

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A cluster that speaks now and then lives; one that falls silent is dead.
func TestSilence(t *testing.T) {
	tests := []struct {
		name string
		// every is the time between two signs, until that of the last one.
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
				var signs atomic.Int64
				go func() {
					for begin := time.Now(); ; {
						select {
						case <-time.After(tt.every):
						case <-ctx.Done():
							return
						}
						if time.Since(begin) <= tt.until {
							signs.Add(1)
						}
					}
				}()
				began := time.Now()
				dead := silence(ctx, &signs, silenceLimit)
				took := time.Since(began) - tt.until
				if dead != tt.want || dead && (took < (silenceLimit-5)*time.Second || took > (silenceLimit+1)*time.Second) {
					t.Errorf("dead: %t, %v after the last sign; want %t", dead, took, tt.want)
				}
			})
		})
	}
}
