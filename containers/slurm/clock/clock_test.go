package clock

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Virtual time advances by Scale for each real second.
func TestAtIsLinear(t *testing.T) {
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(1, 100).Draw(t, "scale")
		seconds := rapid.IntRange(0, 100_000).Draw(t, "seconds")
		c := Clock{Scale: scale, Real: base, Virtual: base.Add(time.Hour)}
		got := c.at(base.Add(time.Duration(seconds) * time.Second)).Sub(c.Virtual).Seconds()
		want := scale * float64(seconds)
		if diff := got - want; diff > 1e-3 || diff < -1e-3 {
			t.Fatalf("after %d real s virtual time advanced %g s, want %g", seconds, got, want)
		}
	})
}

func TestSleepTakesRealDuration(t *testing.T) {
	for _, kind := range []Kind{"", KindScaled} {
		synctest.Test(t, func(t *testing.T) {
			c := Real()
			c.Kind, c.Scale = kind, 20
			before := time.Now()
			if err := c.Sleep(t.Context(), 40*time.Second); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(before); took != 2*time.Second {
				t.Fatalf("kind %q: 40 virtual s at x20 took %v, want 2s", kind, took)
			}
			if virtual := c.Now().Sub(c.Virtual); virtual != 40*time.Second {
				t.Fatalf("kind %q: virtual clock advanced %v, want 40s", kind, virtual)
			}
		})
	}
}

func TestSleepReportsCause(t *testing.T) {
	cause := errors.New("slurmctld died")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	jump, _ := newJump(t, frozen)
	for _, c := range []Clock{Real(), jump} {
		for _, d := range []time.Duration{-time.Second, 0, time.Hour} {
			if err := c.Sleep(ctx, d); !errors.Is(err, cause) {
				t.Errorf("%s: Sleep(%v) under a dead context = %v, want %v", c.Kind, d, err, cause)
			}
			if err := c.SleepUntil(ctx, c.Now().Add(d)); !errors.Is(err, cause) {
				t.Errorf("%s: SleepUntil(now%+v) under a dead context = %v, want %v", c.Kind, d, err, cause)
			}
			if err := c.Sleep(t.Context(), min(d, 0)); err != nil {
				t.Errorf("%s: Sleep(%v) = %v", c.Kind, min(d, 0), err)
			}
		}
	}
}

// Wait of a linear clock, in fake real time. Wait of a jump clock has its own test.
func TestWait(t *testing.T) {
	cause := errors.New("stopped")
	tests := []struct {
		name       string
		until      time.Duration // virtual; 0 = no limit
		wake, stop time.Duration // real; 0 = never
		woken      bool
		err        error
		after      time.Duration // real
	}{
		{"limit", 40 * time.Second, 0, 0, false, nil, 2 * time.Second},
		{"limit first", 40 * time.Second, 3 * time.Second, 3 * time.Second, false, nil, 2 * time.Second},
		{"wake first", 40 * time.Second, time.Second, 3 * time.Second, true, nil, time.Second},
		{"wake without limit", 0, time.Hour, 0, true, nil, time.Hour},
		{"stop first", 40 * time.Second, 3 * time.Second, time.Second, false, cause, time.Second},
		{"stop without limit", 0, 0, time.Hour, false, cause, time.Hour},
		{"limit has passed", -time.Second, 0, 0, false, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := Real()
				c.Scale = 20
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				wake := make(chan struct{}, 1)
				if tt.wake > 0 {
					time.AfterFunc(tt.wake, func() { wake <- struct{}{} })
				}
				if tt.stop > 0 {
					time.AfterFunc(tt.stop, func() { cancel(cause) })
				}
				var until time.Time
				if tt.until != 0 {
					until = c.Virtual.Add(tt.until)
				}
				before := time.Now()
				woken, err := c.Wait(ctx, until, wake)
				if woken != tt.woken || !errors.Is(err, tt.err) {
					t.Errorf("woken %t, error %v, want %t, %v", woken, err, tt.woken, tt.err)
				}
				if took := time.Since(before); took != tt.after {
					t.Errorf("took %v, want %v", took, tt.after)
				}
			})
		})
	}
}

// What other processes read back is the same clock.
func TestJSON(t *testing.T) {
	jump, _ := newJump(t, frozen)
	scaled := Clock{Kind: KindScaled, Scale: 20, Real: time.Unix(7, 0).UTC(), Virtual: time.Unix(9, 5).UTC()}
	for _, c := range []Clock{Real(), scaled, jump} {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var got Clock
		if err = json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if got, err = got.Attach(); err != nil {
			t.Fatal(err)
		}
		if got.Kind != c.Kind || got.Scale != c.Scale || !got.Real.Equal(c.Real) || !got.Virtual.Equal(c.Virtual) || got.Page != c.Page {
			t.Errorf("%s gave %+v, want %+v", data, got, c)
		}
	}
}

func TestRealDuration(t *testing.T) {
	for _, tt := range []struct {
		scale float64
		want  time.Duration
	}{{1, time.Minute}, {20, 3 * time.Second}, {0.5, 2 * time.Minute}} {
		if got := (Clock{Kind: KindJump, Scale: tt.scale}).RealDuration(time.Minute); got != tt.want {
			t.Errorf("a virtual minute at scale %g takes %v, want %v", tt.scale, got, tt.want)
		}
	}
}
