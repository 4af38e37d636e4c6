package clock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Clock converts between real and virtual time. The zero value is not usable;
// take Real or Start.
type Clock struct {
	// Scale is virtual seconds per real second.
	Scale float64 `json:"scale"`
	// Real and Virtual are readings of the two clocks at one instant.
	Real    time.Time `json:"real"`
	Virtual time.Time `json:"virtual"`
}

// Real returns the clock whose virtual time is the real time.
func Real() Clock {
	now := time.Now()
	return Clock{Scale: 1, Real: now, Virtual: now}
}

// Now returns the virtual time.
func (c Clock) Now() time.Time {
	return c.At(time.Now())
}

// At returns the virtual time at a real instant.
func (c Clock) At(real time.Time) time.Time {
	return c.Virtual.Add(time.Duration(float64(real.Sub(c.Real)) * c.Scale))
}

// RealDuration returns the real time that a virtual duration takes.
func (c Clock) RealDuration(virtual time.Duration) time.Duration {
	return time.Duration(float64(virtual) / c.Scale)
}

// Sleep waits for a virtual duration. It returns the context's cause when the
// context ends first.
func (c Clock) Sleep(ctx context.Context, virtual time.Duration) error {
	if virtual <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(c.RealDuration(virtual))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// SleepUntil waits until a virtual instant.
func (c Clock) SleepUntil(ctx context.Context, virtual time.Time) error {
	return c.Sleep(ctx, virtual.Sub(c.Now()))
}

// Start begins virtual time at the given scale and returns the clock and the
// environment variables that put a C program on it. For a scale other than 1
// it starts a holder process under faketime, which owns the shared memory of
// the clock and lives until ctx ends. Virtual time then starts just after the
// next midnight: slurmctld resets its statistics at midnight
// (src/slurmctld/controller.c), and a run of less than a day must not lose
// them; in the past, the certificate that MariaDB makes itself would not be
// valid yet. libfaketime's "@date" would start anew in each process.
func Start(ctx context.Context, scale float64) (Clock, []string, error) {
	if scale == 1 {
		return Real(), nil, nil
	}
	now := time.Now().UTC()
	ahead := now.Truncate(24 * time.Hour).Add(24*time.Hour + midnightMargin).Sub(now)
	holder := exec.CommandContext(ctx, "faketime", "-f", fmt.Sprintf("%+d x%g", int(ahead.Seconds()), scale),
		"sh", "-c", "env; echo ready; exec sleep infinity")
	out, err := holder.StdoutPipe()
	if err != nil {
		return Clock{}, nil, fmt.Errorf("start clock: %w", err)
	}
	if startErr := holder.Start(); startErr != nil {
		return Clock{}, nil, fmt.Errorf("start clock: %w", startErr)
	}
	// The holder only ends with ctx, so nobody waits for its exit code.
	go func() { _ = holder.Wait() }()
	env, err := readEnv(out)
	if err != nil {
		return Clock{}, nil, fmt.Errorf("start clock: %w", err)
	}
	c, err := calibrate(ctx, env, scale)
	if err != nil {
		return Clock{}, nil, fmt.Errorf("start clock: %w", err)
	}
	return c, env, nil
}

// midnightMargin keeps the start clear of midnight itself.
const midnightMargin = 10 * time.Second

// calibrations is how many readings calibrate takes; the tightest wins. One
// reading brackets a fork of date(1), 1-3 ms; its half width times the scale
// is the error of the clock.
const calibrations = 20

func calibrate(ctx context.Context, env []string, scale float64) (Clock, error) {
	best := Clock{Scale: scale}
	width := time.Duration(-1)
	for range calibrations {
		before := time.Now()
		cmd := exec.CommandContext(ctx, "date", "+%s.%N")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		after := time.Now()
		if err != nil {
			return Clock{}, fmt.Errorf("read virtual time: %w", err)
		}
		virtual, err := parseEpoch(strings.TrimSpace(string(out)))
		if err != nil {
			return Clock{}, err
		}
		if w := after.Sub(before); width < 0 || w < width {
			width = w
			best.Real = before.Add(w / 2).Round(0)
			best.Virtual = virtual
		}
	}
	return best, nil
}

func parseEpoch(s string) (time.Time, error) {
	seconds, nanos, ok := strings.Cut(s, ".")
	sec, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil || len(nanos) != 9 {
		return time.Time{}, fmt.Errorf("read virtual time: date printed %q", s)
	}
	nsec, err := strconv.ParseInt(nanos, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read virtual time: date printed %q", s)
	}
	return time.Unix(sec, nsec).UTC(), nil
}

var errNoLibrary = errors.New("faketime set no LD_PRELOAD")
