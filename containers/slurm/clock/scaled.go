package clock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// startScaled starts a holder process under faketime, which owns the shared memory of the clock and lives until ctx
// ends. Virtual time starts just after the next midnight, for the reasons of DefaultStart. libfaketime's "@date"
// would allow a fixed start, but restarts in each process. A scale of 1 needs no libfaketime.
func startScaled(ctx context.Context, scale float64) (Clock, []string, error) {
	if scale == 1 {
		return Real(), nil, nil
	}
	now := time.Now().UTC()
	ahead := now.Truncate(24 * time.Hour).Add(24*time.Hour + midnightMargin).Sub(now)
	holder := exec.CommandContext(ctx, "faketime", "-f", fmt.Sprintf("%+d x%g", int(ahead.Seconds()), scale),
		"sh", "-c", "env; echo ready; exec sleep infinity")
	out, err := holder.StdoutPipe()
	if err != nil {
		return Clock{}, nil, err
	}
	if startErr := holder.Start(); startErr != nil {
		return Clock{}, nil, startErr
	}
	// The holder only ends with ctx, so nobody waits for its exit code.
	go func() { _ = holder.Wait() }()
	env, err := readEnv(out)
	if err != nil {
		return Clock{}, nil, err
	}
	c, err := calibrate(ctx, env, scale)
	if err != nil {
		return Clock{}, nil, err
	}
	return c, env, nil
}

// midnightMargin keeps the start clear of midnight itself.
const midnightMargin = 10 * time.Second

// calibrations is how many readings calibrate takes, of which it keeps the most exact
// one. A reading runs date(1) between two looks at the real clock, 1-3 ms apart; half
// of that times the scale is the error of the clock.
const calibrations = 20

func calibrate(ctx context.Context, env []string, scale float64) (Clock, error) {
	best := Clock{Kind: KindScaled, Scale: scale}
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

// readEnv collects the variables by which libfaketime finds its library and
// its shared memory, up to the line "ready".
func readEnv(r io.Reader) ([]string, error) {
	var env []string
	preload := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if line == "ready" {
			if !preload {
				return nil, errNoLibrary
			}
			return env, nil
		}
		name, _, _ := strings.Cut(line, "=")
		if name == "LD_PRELOAD" || strings.HasPrefix(name, "FAKETIME") {
			env = append(env, line)
			preload = preload || name == "LD_PRELOAD"
		}
	}
	return nil, fmt.Errorf("read faketime environment: %w", io.ErrUnexpectedEOF)
}
