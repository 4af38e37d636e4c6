package run

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// longGap is a real time that may pass without a word even on a busy machine; a longer gap is reported.
const longGap = 3 * time.Second

// gaps adds up the long times in which nothing came, of what comes all the time. The zero
// value has not begun.
type gaps struct {
	mu   sync.Mutex
	last time.Time
	sum  time.Duration
}

// mark says that something has come, or that the wait for it begins.
func (g *gaps) mark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if gap := now.Sub(g.last); !g.last.IsZero() && gap > longGap {
		g.sum += gap
	}
	g.last = now
}

// rest says that nothing is waited for until the next mark.
func (g *gaps) rest() {
	g.mark()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = time.Time{}
}

// tell hands a sentence about the long gaps to warn, if there were any; what takes their
// seconds.
func (g *gaps) tell(warn func(string), what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sum > 0 {
		warn(fmt.Sprintf(what, g.sum.Seconds()))
	}
}

// whileAwake watches whether this process itself is stopped until the returned function is called, which warns of it.
// A slurmlab that was stopped has missed nothing, as what its cluster said meanwhile was kept.
func whileAwake(warn func(string)) func() {
	ctx, stop := context.WithCancel(context.Background())
	var own gaps
	own.mark()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				own.mark()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		stop()
		<-watched
		own.mark()
		own.tell(warn, "slurmlab was stopped for %.0f s of real time, or the machine was too busy for it; its run went on")
	}
}
