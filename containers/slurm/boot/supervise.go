package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sync/errgroup"
)

// DownDir has a file with the name of each daemon that is to stay down after its end:
// Supervise starts it again when the file is gone.
const DownDir = "/run/slurmlab/down"

// Supervise restarts every daemon that dies, until ctx ends, whose cause it returns. It calls tell after each
// restart. It returns a *DaemonError as soon as a daemon dies that the backend cannot do without, one keeps dying, or
// one does not serve again. In each case it has left in the State what became of the daemons.
//
// From the death of a daemon until it serves again the clock is held: virtual time passes at the speed of real time,
// and no wait of a process that lives on is jumped to while nobody answers it. A daemon that is to stay down holds no
// clock. The clock is also held as long as a signal has stopped a daemon.
func (c *Daemons) Supervise(ctx context.Context, tell func(Restart)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		HoldWhileStopped(ctx, c.State.Clock, c.children)
		return context.Cause(ctx)
	})
	for _, d := range c.daemons {
		group.Go(func() error { return c.keep(ctx, d, tell) })
	}
	err := group.Wait()
	var broken *DaemonError
	if errors.As(err, &broken) {
		err = errors.Join(err, c.update(func(s *State) { s.Broken = broken }))
	}
	return err
}

// keep supervises one daemon.
func (c *Daemons) keep(ctx context.Context, d *daemon, tell func(Restart)) error {
	var died deaths
	for {
		select {
		case <-d.proc.ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		since, virtual := time.Now(), c.State.Clock.Now()
		restart := Restart{Daemon: d.name, How: d.proc.how, Died: virtual}
		err := c.revive(ctx, d, &died)
		if err == nil {
			restart.Outage, restart.Virtual = time.Since(since), c.State.Clock.Now().Sub(virtual)
			err = c.update(func(s *State) { s.Restarts = append(s.Restarts, restart) })
		}
		if err != nil {
			return d.lost(ctx, err)
		}
		tell(restart)
		// Watchers of the state know of the restart before time is skipped again.
		c.State.Clock.Go()
	}
}

// lost is the end of a daemon for good.
func (d *daemon) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *DaemonError
	if errors.As(err, &known) {
		return err
	}
	known = d.lastWords()
	known.Why = err.Error()
	return known
}

// revive starts a dead daemon until it serves. Each death of it has held the clock once,
// the first of which is left.
func (c *Daemons) revive(ctx context.Context, d *daemon, died *deaths) error {
	c.serving.set(d.name, false)
	for {
		if err := c.hopeless(d, died.loop(time.Now())); err != nil {
			return err
		}
		if err := c.await(ctx, d); err != nil {
			return err
		}
		if err := c.start(d); err != nil {
			return err
		}
		err := c.until(ctx, d.name, d.rest(), d.ready, d.fault)
		var again *DaemonError
		switch {
		case err == nil:
			c.serving.set(d.name, true)
			return nil
		case !errors.As(err, &again):
			return err
		}
		<-d.proc.ended
		c.State.Clock.Go()
	}
}

// hopeless says why a dead daemon is not started again.
func (c *Daemons) hopeless(d *daemon, loop bool) error {
	why := c.fatal[d.part]
	if loop {
		why = fmt.Sprintf("it died %d times within %v", mostDeaths+1, deathWindow)
	}
	if why == "" {
		return nil
	}
	err := d.lastWords()
	err.Why = why
	return err
}

// await waits until a dead daemon may be started: nobody wants it down, and the daemon
// that it needs serves.
func (c *Daemons) await(ctx context.Context, d *daemon) error {
	path := filepath.Join(c.paths.down, d.name)
	if missing(path) && c.serving.has(d.needs) {
		return nil
	}
	c.State.Clock.Go()
	defer c.State.Clock.Hold()
	if err := gone(ctx, path); err != nil {
		return err
	}
	return c.serving.wait(ctx, d.needs)
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// gone waits until there is no file of that name.
func gone(ctx context.Context, path string) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	defer func() { _ = watcher.Close() }()
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	for !missing(path) {
		select {
		case <-watcher.Events:
		case err := <-watcher.Errors:
			return fmt.Errorf("watch %s: %w", path, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// update changes the state and saves it.
func (c *Daemons) update(change func(*State)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.State)
	return c.State.save(c.paths.state)
}

// board says which daemons serve.
type board struct {
	mu      sync.Mutex
	absent  map[string]bool
	changed chan struct{}
}

func newBoard() *board { return &board{absent: map[string]bool{}, changed: make(chan struct{})} }

func (b *board) set(name string, serves bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.absent[name] = !serves
	close(b.changed)
	b.changed = make(chan struct{})
}

// has says whether a daemon serves, or none is named.
func (b *board) has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.absent[name]
}

// wait waits until a daemon serves.
func (b *board) wait(ctx context.Context, name string) error {
	for {
		b.mu.Lock()
		serves, changed := !b.absent[name], b.changed
		b.mu.Unlock()
		if serves {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
