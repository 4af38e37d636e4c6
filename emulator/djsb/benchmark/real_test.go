package benchmark_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// A simulation of two threads lends one to an analytics that comes, and has both again when that
// is over. It is the protocol of real applications on a real socket; what they compute is small.
func TestRealLending(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	server := &benchmark.Server{Node: benchmark.Node{Cores: 2, Memory: 1 << 30}, Now: time.Now}
	go func() { _ = server.Serve(l) }()
	start := func(ctx context.Context, job string, threads, passes int, lends bool) <-chan error {
		conn, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		triad, err := benchmark.NewTriad(2<<20, threads)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			done <- benchmark.Real{
				Job: job, Load: benchmark.Load{Nodes: []string{"n1"}, Threads: threads, Lends: lends},
				Triad: triad, Passes: passes, Signals: make(chan os.Signal), Stop: func() error { return nil },
			}.Run(ctx, conn)
			_ = conn.Close()
		}()
		return done
	}
	var seen []string
	until := func(want string) {
		t.Helper()
		hosttest.UntilOr(t, func() bool {
			for _, c := range server.Changes() {
				seen = append(seen, c.ID+"="+string(rune('0'+int(c.Cores))))
			}
			return strings.Contains(strings.Join(seen, " "), want)
		}, func() string { return fmt.Sprintf("got %q, want %q", seen, want) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	simulation := start(ctx, "s", 2, 1<<40, true)
	until("s=2")
	analysis := start(t.Context(), "a", 1, 100, false)
	if err := <-analysis; err != nil {
		t.Fatal(err)
	}
	until("s=2 s=1 a=1 a=0 s=2")
	cancel()
	if err := <-simulation; err == nil {
		t.Error("a simulation that was ended has done its work")
	}
}
