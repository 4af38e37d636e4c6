package drive_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// fault is what goes wrong with a command.
type fault string

const (
	refused       fault = "refused"
	unanswered    fault = "unanswered"
	timeoutBefore fault = "timed out before it took effect"
	timeoutAfter  fault = "timed out after it took effect"
	garbled       fault = "garbled"
	cutShort      fault = "cut short"
	old           fault = "answered with an old text"
	answersSlowly fault = "slow"
	hangs         fault = "never returned"
	killedBefore  fault = "agent killed before it took effect"
	killedAfter   fault = "agent killed after it took effect"
	twice         fault = "reported twice"
	never         fault = "never reported"
)

// step is a fault at the n-th command of a kind. What happens at a step does not
// depend on whether other steps were left out, nor on the order of commands of
// different kinds.
type step struct {
	kind string
	n    int
}

// happened is a step with its fault at an instant.
type happened struct {
	step
	fault fault
	after time.Duration
}

func (h happened) String() string {
	return fmt.Sprintf("%v: %s %d %s", h.after.Round(time.Second), h.kind, h.n, h.fault)
}

// nemesis is a Runner that injects faults into another one.
type nemesis struct {
	scenario
	inner slurmctl.Runner
	began time.Time
	// without are the steps that are left out.
	without map[step]bool
	// kill ends the agent.
	kill func()

	mu     sync.Mutex
	counts map[string]int
	texts  map[string][][]byte
	log    []happened
}

// silence is how long a command that times out takes.
const silence = 30 * time.Second

// kindOf names commands that fail alike.
func kindOf(argv []string) string {
	switch {
	case argv[0] == "scontrol" && len(argv) > 4 && argv[3] == "show":
		return "show " + argv[4]
	case argv[0] == "scontrol" && len(argv) > 3 && argv[2] == "show":
		return "show " + argv[3]
	case argv[0] == "scontrol" && argv[1] == "update" && slices.ContainsFunc(argv, func(w string) bool { return strings.HasPrefix(w, "Extra=") }):
		return "annotate"
	case argv[0] == "scontrol" && argv[1] == "update" && len(argv) == 4:
		return "announce"
	case argv[0] == "scontrol":
		return argv[1]
	default:
		return argv[0]
	}
}

// faultsOf are those that a command of the kind may suffer.
func (n *nemesis) faultsOf(kind string) []fault {
	switch kind {
	case "squeue", "show node", "show job":
		return []fault{unanswered, timeoutBefore, garbled, cutShort, old, answersSlowly}
	case "update", "release", "hold", "announce", "annotate":
		all := []fault{refused, unanswered, timeoutBefore, timeoutAfter, answersSlowly}
		if n.kept {
			all = append(all, killedBefore, killedAfter)
		}
		return all
	case "sbatch":
		return []fault{refused, unanswered, timeoutBefore, timeoutAfter, answersSlowly, hangs}
	case "end":
		return []fault{twice, never}
	default:
		return []fault{unanswered, answersSlowly}
	}
}

// chance of a fault. There are few ends, and a kept cluster reports none.
func (n *nemesis) chance(kind string) float64 {
	switch {
	case kind != "end":
		return n.rate
	case n.kept:
		return 0
	default:
		return 5 * n.rate
	}
}

// next draws the fault of the next command of a kind, "" for none.
func (n *nemesis) next(kind string) (fault, *rand.Rand) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.counts[kind]++
	at := step{kind, n.counts[kind]}
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, at)
	r := rand.New(rand.NewPCG(n.seed, h.Sum64()))
	hit := r.Float64() < n.chance(kind)
	after := time.Since(n.began)
	spent := n.quota > 0 && len(n.log) == n.quota
	if !hit || spent || n.without[at] || n.kept && after > n.calm {
		return "", r
	}
	all := n.faultsOf(kind)
	f := all[r.IntN(len(all))]
	n.log = append(n.log, happened{at, f, after})
	return f, r
}

// Run implements slurmctl.Runner.
func (n *nemesis) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	kind := kindOf(argv)
	f, r := n.next(kind)
	if err := wait(ctx, commandTime); err != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], err)
	}
	complain := func(message string) ([]byte, error) {
		return nil, &slurmctl.CommandError{Argv: argv, ExitCode: 1, Stderr: argv[0] + ": error: " + message + "\n"}
	}
	do := func() ([]byte, error) { return n.inner.Run(ctx, stdin, argv...) }
	switch f {
	case refused:
		return complain("Access/permission denied")
	case unanswered:
		return complain("Unable to contact slurm controller (connect failure)")
	case answersSlowly:
		if err := wait(ctx, silence/2); err != nil {
			return nil, fmt.Errorf("run %s: %w", argv[0], err)
		}
	case hangs:
		<-ctx.Done()
		return nil, fmt.Errorf("run %s: %w", argv[0], context.Cause(ctx))
	case timeoutAfter, killedAfter:
		if _, err := do(); err != nil {
			return nil, err
		}
	}
	switch f {
	case killedBefore, killedAfter:
		n.kill()
		return nil, fmt.Errorf("run %s: %w", argv[0], context.Cause(ctx))
	case timeoutBefore, timeoutAfter:
		if err := wait(ctx, silence); err != nil {
			return nil, fmt.Errorf("run %s: %w", argv[0], err)
		}
		if argv[0] != "scontrol" || strings.HasPrefix(kind, "show") {
			return complain("Socket timed out on send/recv operation")
		}
		return nil, fmt.Errorf("run %s: no answer within %v: %w", argv[0], silence, context.DeadlineExceeded)
	}
	out, err := do()
	if err != nil {
		return out, err
	}
	return n.spoil(f, r, strings.Join(argv, " "), out), nil
}

// spoil changes the text that a command printed.
func (n *nemesis) spoil(f fault, r *rand.Rand, command string, out []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := n.texts[command]
	n.texts[command] = append(before, out)
	switch {
	case f == garbled && len(out) > 0:
		const signs = "0123456789 =,|-\n\x1fAz"
		spoilt := []byte(string(out))
		for range 1 + r.IntN(3) {
			spoilt[r.IntN(len(out))] = signs[r.IntN(len(signs))]
		}
		return spoilt
	case f == cutShort && len(out) > 0:
		if lines := strings.SplitAfter(string(out), "\n"); r.IntN(2) == 0 {
			return []byte(strings.Join(lines[:r.IntN(len(lines))], ""))
		}
		return out[:r.IntN(len(out))]
	case f == old && len(before) > 0:
		return before[max(0, len(before)-1-r.IntN(3))]
	}
	return out
}

// refusals counts the refused releases so far.
func (n *nemesis) refusals() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := 0
	for _, h := range n.log {
		if h.fault == refused && (h.kind == "update" || h.kind == "release") {
			count++
		}
	}
	return count
}

// wait lets virtual time pass.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// session is the double of a slurmctl.Session, which runs one long-lived scontrol: a
// command that times out breaks it. A new one is free to be opened.
type session struct {
	runner slurmctl.Runner
	broken bool
}

func (s *session) Do(ctx context.Context, command string) error {
	if s.broken {
		return fmt.Errorf("run %q: %w", command, slurmctl.ErrSessionBroken)
	}
	err := (&slurmctl.Client{Runner: s.runner}).Do(ctx, command)
	if isTimeout(err) || ctx.Err() != nil {
		s.broken = true
		return fmt.Errorf("%w: %w", slurmctl.ErrSessionBroken, err)
	}
	return err
}

func isTimeout(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

func (s *session) reopen(context.Context) error {
	s.broken = false
	return nil
}
