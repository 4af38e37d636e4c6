package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

func going(done int) progress.Update {
	return progress.Update{Stage: progress.Running, Counts: drive.Progress{Time: 3730, Submitted: 80, Running: 34, Done: done}}
}

// On a terminal the whole command has a line that is replaced in its place, and Ctrl-C is
// answered at once on a line of its own.
func TestBoardOnATerminal(t *testing.T) {
	for _, columns := range []int{40, 80, 120} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			screen, program := newScreen(t, columns)
			ctx, interrupt := context.WithCancel(t.Context())
			b := newBoard(ctx, &State{Stderr: program, Terminal: true}, false, campaign.StopText,
				progress.Run{Name: "backfill seed 1", Jobs: 119}, progress.Run{Name: "auction seed 1", Jobs: 119}, progress.Run{Name: "third", Jobs: 5})
			defer b.close()
			b.waiting([]run.Holder{{Core: 1, Process: 7}})
			screen.shows(t, `^waiting for a free core since\s+[0-9:]{8}: core\s+1:\s+process\s+7\s+\(--core\s+none\s+begins\s+at\s+once,\s+beside\s+them\)\nwaiting for a free core, 0 s so far\n$`)
			b.note("about 4 min of real time")
			b.follow(0)(progress.Update{Stage: progress.Creating})
			screen.shows(t, `\nabout 4 min of real time\n +0% \[\.+\]  0 of 243 done(, backfill seed 1: creating the container)?.*\n$`)
			b.follow(1)(progress.Update{Stage: progress.Booting, Boot: "3/5 slurmctld"})
			b.follow(0)(going(21))
			b.follow(1)(going(60))
			screen.shows(t, `\nabout .*\n +33% \[=.*\]  81 of 243 done.*\n$`)
			// The terminal echoes ^A behind the picture as it does ^C, which would
			// also throw away what has not been read yet.
			if _, err := screen.user.WriteString("\x01"); err != nil {
				t.Fatal(err)
			}
			interrupt()
			screen.shows(t, `\nabout .*\nstopping: collecting [^%]*them\s+behind\n +33% .* 81 of 243 done(, stopping.*)?\n$`)
			b.ended(0, run.ErrStopped)
			b.ended(1, nil)
			b.close()
			screen.shows(t, `(?s)them\s+behind\nbackfill seed 1: stopped after .*21\s+of 119\s+done \(17 %\).*\nauction seed 1: complete after .*60\s+of 119\s+done \(50 %\)[^\n]*(\n[^\n]*)?\n$`)
			// What has been written is read in pieces.
			hosttest.Until(t, "the cursor is left at column 0", func() bool {
				screen.mu.Lock()
				defer screen.mu.Unlock()
				return screen.column == 0 && screen.rest == ""
			})
			screen.mu.Lock()
			defer screen.mu.Unlock()
			if len(screen.faults) > 0 {
				t.Errorf("faults %q", screen.faults)
			}
		})
	}
}

// Without a terminal there are lines with the time of day and no control characters;
// with --quiet there is nothing.
func TestBoardWithoutATerminal(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out bytes.Buffer
		b := newBoard(t.Context(), &State{Stderr: &out}, quiet, campaign.StopText, progress.Run{Name: "auction", Jobs: 119})
		b.follow(0)(progress.Update{Stage: progress.Creating})
		b.follow(0)(going(60))
		b.ended(0, fmt.Errorf("run: %w", context.DeadlineExceeded))
		b.close()
		want := regexp.MustCompile(`^TIME auction: creating the container\nTIME auction: running, 119 jobs\nTIME auction: failed after \d+ s, 60 of 119 done \(50 %\), 1:02:10 of virtual time\n$`)
		got := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d`).ReplaceAllString(out.String(), "TIME")
		if quiet && got != "" || !quiet && !want.MatchString(got) {
			t.Errorf("quiet %v: got\n%s", quiet, got)
		}
	}
}

// Runs are told apart by their policies and by what else differs.
func TestProgressOf(t *testing.T) {
	config := func(machine, policyName string, seed uint64) run.Config {
		return run.Config{Spec: drive.Spec{Machine: workloads.Machine{Name: machine}, Policy: policy.Policy{Name: policyName}, Seed: seed, Jobs: make([]workloads.Job, 3)}}
	}
	for want, configs := range map[string][]run.Config{
		"auction":           {config("S", "auction", 4)},
		"backfill, auction": {config("S", "backfill", 1), config("S", "auction", 1)},
		"backfill seed 1, auction seed 1, backfill seed 2": {config("S", "backfill", 1), config("S", "auction", 1), config("S", "backfill", 2)},
		"S auction, M auction":                             {config("S", "auction", 1), config("M", "auction", 1)},
	} {
		var names []string
		for _, r := range progressOf(configs) {
			names = append(names, r.Name)
			if r.Jobs != 3 {
				t.Errorf("%s: %d jobs, want 3", r.Name, r.Jobs)
			}
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What happens once is not shown twice, however often a board looks.
func TestBoardSaysThingsOnce(t *testing.T) {
	var out bytes.Buffer
	b := newBoard(t.Context(), &State{Stderr: &out}, false, campaign.StopText, progress.Run{Name: "auction", Jobs: 8})
	b.note("a note")
	for range 5 {
		b.change(func(*progress.Model, time.Time) {})
	}
	b.close()
	b.close()
	if got := strings.Count(out.String(), "a note"); got != 1 {
		t.Errorf("said %d times", got)
	}
}

// Whatever stands between a command and its terminal, the width of the terminal can
// be asked for: what fits a screen depends on it.
func TestStateTellsItsTerminals(t *testing.T) {
	s := System("test", "test")
	defer s.Stop()
	for name, w := range map[string]io.Writer{"output": s.Stdout, "error": s.Stderr} {
		if _, ok := w.(interface{ Fd() uintptr }); !ok {
			t.Errorf("standard %s, a %T, has no file descriptor", name, w)
		}
	}
}
