package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// jumpClock is a jump clock without a vclockd: it is held and let go, and goes at the speed of
// real time.
func jumpClock(t *testing.T) clock.Clock {
	t.Helper()
	// The beginning of struct vclock_page in containers/slurm/vclock/vclock.h.
	page := make([]byte, 4<<20)
	for at, word := range []uint32{0x6b636c76, 1, 16384} {
		binary.NativeEndian.PutUint32(page[4*at:], word)
	}
	const rate = 32
	binary.NativeEndian.PutUint64(page[rate:], 1<<32)
	path := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(path, page, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := clock.Clock{Kind: clock.KindJump, Scale: 1, Page: path}.Attach()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What orders do to the clock: H is held, - is not. After a slash stands what the end of the
// watcher leaves.
func TestOrders(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ofRun  bool
		booted bool // the clock is held before the watcher begins
		orders string
		want   string
	}{
		{"of a run, held and let go", true, false, "hold go", "H-/-"},
		{"of a run, left held", true, false, "hold hold", "HH/-"},
		{"of a run, held by its own", true, true, "go pause resume go", "HHHH/H"},
		{"of a run, paused", true, false, "pause resume", "H-/-"},
		{"of a run, left in a pause", true, false, "pause pause", "HH/-"},
		{"of a run, held in a pause", true, false, "pause hold resume", "HHH/-"},
		{"of a run, let go in a pause", true, false, "pause go resume", "H--/-"},
		{"of up, held from its boot", false, true, "pause resume go", "HH-/-"},
		{"of up, left held", false, false, "hold", "H/H"},
		{"of up, left in a pause", false, false, "pause", "H/-"},
		{"of up, held in a pause", false, false, "pause hold resume", "HHH/H"},
		{"something else", false, false, "nonsense", "-/-"},
	} {
		c := jumpClock(t)
		if tt.booted {
			c.Hold()
		}
		held := func() string {
			if c.Held() {
				return "H"
			}
			return "-"
		}
		w := newWatcher(boot.State{Clock: c}, tt.ofRun)
		got := ""
		for order := range strings.FieldsSeq(tt.orders) {
			w.obey(strings.NewReader(order + "\n"))
			got += held()
		}
		w.leave()
		if got += "/" + held(); got != tt.want {
			t.Errorf("%s: %s gives %s, want %s", tt.name, tt.orders, got, tt.want)
		}
	}
}

// A watcher that knows when the run began waits for shared instants. Another watcher waits until it gets an order.
func TestRest(t *testing.T) {
	w := newWatcher(boot.State{Clock: jumpClock(t)}, true)
	w.changed <- struct{}{}
	if got := w.rest(t.Context()); !got.IsZero() {
		t.Errorf("without a beginning, the look is for %v", got)
	}
	began := w.state.Clock.Now().Add(-100 * time.Second)
	w.obey(strings.NewReader(watch.OrderFrom(began) + "\n"))
	<-w.changed
	// On a busy machine instants pass unseen.
	for deadline := time.Now().Add(hosttest.Hang); ; {
		got := w.rest(t.Context())
		if now := w.state.Clock.Now(); got.IsZero() && time.Now().Before(deadline) {
			continue
		} else if past := got.Sub(began); got.IsZero() || now.Before(got) || past < 100*time.Second || past%time.Second != 0 {
			t.Errorf("at +%v the look is for +%v", now.Sub(began), past)
		}
		break
	}
}
