package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// lookInterval is the real time between the end of a look and the beginning of the next.
// To the clock the pause is idle time: it has no deadline in the clock's page. Where looks are
// taken at shared instants too, the pause is shorter, but not than leastPause: whatever virtual
// time does, there are at most four looks in a real second.
const (
	lookInterval = time.Second
	leastPause   = lookInterval / 4
)

func watchCommand() *cobra.Command {
	var once, ofRun bool
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print looks at the cluster as lines of JSON, until standard input ends",
		Long: `Prints a look at the cluster as a line of JSON every second of real time, until
its standard input ends. A line "hold" there holds the jump clock, "go" lets it go;
"pause" holds it until "resume", or until the watcher ends.
"from TIME" says when the run began: from then on there are looks at virtual times
that all runs share, too, for who shows several runs beside each other.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			w := newWatcher(state, ofRun)
			defer func() { _ = w.reader.Close() }()
			if once {
				return w.look(cmd.Context())
			}
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			defer w.leave()
			go func() {
				defer stop()
				w.obey(os.Stdin)
			}()
			for ctx.Err() == nil {
				if err = w.look(ctx); err != nil {
					return err
				}
				w.last.Due = w.rest(ctx)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "print one look")
	cmd.Flags().BoolVar(&ofRun, "of-run", false, "the cluster is that of a run: its jobs have the numbers of the workload as names")
	return cmd
}

// watcher looks at a cluster.
type watcher struct {
	state  boot.State
	reader *channel.Reader
	last   watch.Look
	// names are what the site calls its nodes, nil for none.
	names []string
	// holds counts the holds of this watcher, except a pause; changed rings when it has changed the clock.
	holds   atomic.Int32
	paused  atomic.Bool
	changed chan struct{}
	// began is the virtual time from which shared instants count, nil for none. speed is
	// virtual time by real time between the last two looks.
	began atomic.Pointer[time.Time]
	speed float64
}

func newWatcher(state boot.State, ofRun bool) *watcher {
	spec := state.Spec
	w := &watcher{
		state:   state,
		names:   spec.Layout.SiteNames(),
		reader:  channel.NewReader(commands(state), askLimit),
		last:    watch.Look{Clock: string(state.Clock.Kind), Policy: spec.Scheduler.Type, Priority: spec.Priority.Plugin(), ByName: ofRun},
		changed: make(chan struct{}, 1),
	}
	if spec.Agent != "" {
		w.last.Policy = spec.Agent
	}
	return w
}

// look prints one look.
func (w *watcher) look(ctx context.Context) error {
	began := time.Now()
	w.last.Fault = ""
	if err := w.ask(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		w.last.Fault = err.Error()
	}
	w.last.AskMS = float64(time.Since(began).Microseconds()) / 1000
	now := watch.Moment{Real: time.Now(), Virtual: w.state.Clock.Now()}
	if real := now.Real.Sub(w.last.Now.Real); !w.last.Now.Real.IsZero() && real > 0 {
		w.speed = float64(now.Virtual.Sub(w.last.Now.Virtual)) / float64(real)
	}
	w.last.Now = now
	w.last.Held = w.state.Clock.Held()
	// There is none where Slurm schedules, and before an agent has begun.
	if agent, err := loadAgent(boot.AgentPath); err == nil {
		w.last.Agent, w.last.Policy = agent, cmp.Or(agent.Policy, w.last.Policy)
	}
	if err := json.NewEncoder(os.Stdout).Encode(w.last); err != nil {
		return fmt.Errorf("print look: %w", err)
	}
	return nil
}

// rest waits until the next look is due, and returns the shared instant for which it is, zero
// for none.
func (w *watcher) rest(ctx context.Context) time.Time {
	began, limit := w.began.Load(), lookInterval
	if began != nil {
		// Shared instants are up to lookInterval apart, if the speed stays what it was.
		limit += leastPause
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	var instant time.Time
	if began != nil {
		instant = watch.Shared(*began, w.state.Clock.Now(), w.speed)
		least := time.NewTimer(leastPause)
		defer least.Stop()
		select {
		case <-least.C:
		case <-w.changed:
			return time.Time{}
		case <-ctx.Done():
			return time.Time{}
		}
		// One that has passed meanwhile is not to be caught any more.
		if now := w.state.Clock.Now(); now.After(instant) {
			instant = watch.Shared(*began, now, w.speed)
		}
	}
	woken, err := w.state.Clock.Wait(ctx, instant, w.changed)
	if errors.Is(err, clock.ErrNoSlot) {
		// The clock has no room for one more wait; then the pause is as long as without it.
		<-ctx.Done()
	}
	if woken || err != nil {
		return time.Time{}
	}
	return instant
}

func (w *watcher) ask(ctx context.Context) error {
	nodes, err := w.reader.Nodes(ctx)
	if err != nil {
		return err
	}
	queue, err := w.reader.Queue(ctx)
	if err == nil {
		w.last.See(nodes, queue, w.names)
	}
	return err
}

// obey carries out the orders of the input until its end.
func (w *watcher) obey(input io.Reader) {
	orders := bufio.NewScanner(input)
	for orders.Scan() {
		if began, ok := watch.Began(orders.Text()); ok {
			w.began.Store(&began)
		}
		switch orders.Text() {
		case watch.OrderHold:
			if w.paused.CompareAndSwap(true, false) {
				w.holds.Add(1)
			} else if !w.state.Clock.Held() {
				w.state.Clock.Hold()
				w.holds.Add(1)
			}
		case watch.OrderGo:
			// The boot of a kept cluster, or "slurmlabd clock hold", holds the clock.
			if !w.resume() && (w.holds.Load() > 0 || !w.last.ByName) {
				w.state.Clock.Go()
				w.holds.Store(max(0, w.holds.Load()-1))
			}
		case watch.OrderPause:
			if !w.state.Clock.Held() {
				w.state.Clock.Hold()
				w.paused.Store(true)
			}
		case watch.OrderResume:
			w.resume()
		}
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}

// resume ends a pause, and reports whether there was one.
func (w *watcher) resume() bool {
	if !w.paused.CompareAndSwap(true, false) {
		return false
	}
	w.state.Clock.Go()
	return true
}

// leave takes back the watcher's pause and, of a run, its holds: a run goes on at its own pace when
// nobody watches it any more.
func (w *watcher) leave() {
	w.resume()
	if !w.last.ByName {
		return
	}
	for range w.holds.Swap(0) {
		w.state.Clock.Go()
	}
}
