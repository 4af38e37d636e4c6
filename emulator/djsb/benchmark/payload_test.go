package benchmark_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
)

// clock is the time of a synctest bubble.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (bool, error) {
	var timer <-chan time.Time
	if !until.IsZero() {
		timer = time.After(time.Until(until))
	}
	select {
	case <-timer:
		return false, nil
	case <-wake:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// listener hands over pipes, which a bubble knows to be idle, as it does not of sockets.
type listener struct {
	conns chan net.Conn
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

func (*listener) Addr() net.Addr { return nil }

// process is a running payload.
type process struct {
	signals chan os.Signal
	kill    context.CancelFunc
	took    chan time.Duration
	err     error
}

// node has the server of one node, with payloads that start on it.
type node struct {
	l      *listener
	server *benchmark.Server
}

func newNode(t *testing.T, m benchmark.Contention) *node {
	t.Helper()
	n := &node{&listener{conns: make(chan net.Conn)}, &benchmark.Server{Model: &m, Node: benchmark.Node{Cores: 16, Memory: 32 << 30}, Now: time.Now}}
	go func() {
		if err := n.server.Serve(n.l); err != nil {
			t.Error(err)
		}
	}()
	return n
}

func (n *node) close() { n.l.once.Do(func() { close(n.l.conns) }) }

func (n *node) start(t *testing.T, threads int, lends bool, work time.Duration) *process {
	t.Helper()
	return n.run(t, benchmark.Payload{Load: benchmark.Load{Threads: threads, Lends: lends}, Work: work, Start: time.Now()})
}

// run runs a payload of which node, memory, clock and signals are not set.
func (n *node) run(t *testing.T, run benchmark.Payload) *process {
	t.Helper()
	ours, theirs := net.Pipe()
	n.l.conns <- theirs
	ctx, kill := context.WithCancel(t.Context())
	p := &process{signals: make(chan os.Signal), kill: kill, took: make(chan time.Duration, 1)}
	run.Job = strconv.Itoa(run.Load.Threads)
	run.Load.Nodes, run.Load.Memory, run.Clock, run.Signals = []string{"n1"}, 1<<30, clock{}, p.signals
	go func() {
		begun := time.Now()
		p.err = run.Run(ctx, ours)
		_ = ours.Close()
		p.took <- time.Since(begun)
	}()
	return p
}

// exact compares to the microsecond that progress may round off.
func exact(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if d := got - want; d < -time.Microsecond || d > time.Microsecond {
		t.Errorf("%s took %v, want %v", what, got, want)
	}
}

// plain has no costs but the shared bandwidth.
func plain() benchmark.Contention {
	return benchmark.Contention{Saturating: 0.5, PressureNone: 1, PressureFull: 1}
}

// "Suspended time does not count as progress; a resumed job ends when its work is done". So 300 s of work with 37 s
// of suspension from its 100th second on end after 337 s.
func TestSuspend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, plain())
		defer n.close()
		p := n.start(t, 16, false, 300*time.Second)
		time.Sleep(100 * time.Second)
		p.signals <- syscall.SIGTSTP
		time.Sleep(37 * time.Second)
		p.signals <- syscall.SIGCONT
		exact(t, "the payload", <-p.took, 337*time.Second)
		if p.err != nil {
			t.Error(p.err)
		}
	})
}

// By gang scheduling a job may be suspended as soon as it is started, before it can take a signal. One that began 30
// s ago, and was suspended 1 s later, has 9 of its 10 s left.
func TestSuspendedBeforeItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, plain())
		defer n.close()
		simulation := n.start(t, 16, false, 100*time.Second)
		p := n.run(t, benchmark.Payload{
			Load: benchmark.Load{Threads: 8}, Work: 10 * time.Second, Start: time.Now().Add(-30 * time.Second), Suspended: time.Now().Add(-29 * time.Second),
		})
		time.Sleep(50 * time.Second)
		simulation.signals <- syscall.SIGTSTP
		p.signals <- syscall.SIGCONT
		exact(t, "the analytics", <-p.took, 59*time.Second)
		simulation.signals <- syscall.SIGCONT
		// It was disturbed by nobody until it was suspended.
		exact(t, "the simulation", <-simulation.took, 109*time.Second)
	})
}

// Lending, by hand: alone for 50 s, then both at half their speed until the analytics has done
// its 10 s after 20 s, then alone again: 300 + 20/2 = 310 s.
func TestLending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, plain())
		defer n.close()
		simulation := n.start(t, 16, true, 300*time.Second)
		time.Sleep(50 * time.Second)
		analysis := n.start(t, 8, false, 10*time.Second)
		exact(t, "the analytics", <-analysis.took, 20*time.Second)
		exact(t, "the simulation", <-simulation.took, 310*time.Second)
		synctest.Wait()
		// What a timeline shows: 16 cores, then 8 for each, then 16 again.
		var got []string
		for _, c := range n.server.Changes() {
			got = append(got, fmt.Sprintf("%s: %g cores, rate %g", c.ID, c.Cores, c.Rate))
		}
		want := []string{"16: 16 cores, rate 1", "16: 8 cores, rate 0.5", "8: 8 cores, rate 0.5", "8: 0 cores, rate 0", "16: 16 cores, rate 1", "16: 0 cores, rate 0"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A suspended simulation leaves the whole bandwidth to the analytics. The analytics goes on at its own speed when the
// simulation is back, as the paper's stop&continue has it the other way round.
func TestSuspendedPayloadDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, plain())
		defer n.close()
		simulation := n.start(t, 16, false, 300*time.Second)
		simulation.signals <- syscall.SIGTSTP
		synctest.Wait()
		analysis := n.start(t, 8, false, 10*time.Second)
		exact(t, "the analytics", <-analysis.took, 10*time.Second)
		simulation.signals <- syscall.SIGCONT
		exact(t, "the simulation", <-simulation.took, 310*time.Second)
	})
}

// A payload that is killed disturbs nobody any more, and one that is requeued begins from the start.
func TestKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, plain())
		defer n.close()
		simulation := n.start(t, 16, true, 300*time.Second)
		analysis := n.start(t, 8, false, 1000*time.Second)
		time.Sleep(100 * time.Second)
		analysis.kill()
		exact(t, "the analytics", <-analysis.took, 100*time.Second)
		exact(t, "the simulation", <-simulation.took, 350*time.Second)
		exact(t, "the simulation, once more", <-n.start(t, 16, true, 300*time.Second).took, 300*time.Second)
		if analysis.err == nil {
			t.Error("a killed payload has done its work")
		}
	})
}

func TestServerGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	run := benchmark.Payload{Work: time.Hour, Start: time.Now(), Clock: clock{}, Signals: make(chan os.Signal)}
	if err := run.Run(t.Context(), conn); err == nil || !strings.Contains(err.Error(), "the benchmark is gone") {
		t.Errorf("got %v", err)
	}
}
