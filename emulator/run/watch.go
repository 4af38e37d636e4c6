package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/emulator/watch"
)

// leaveLimit is the real time that the watcher in the cluster has to end after a stop.
const leaveLimit = 2 * time.Second

// Watch looks at a running cluster about once a second until ctx ends, and hands each look to
// see. Orders are those of package watch.
func Watch(ctx context.Context, cluster Cluster, orders <-chan string, ofRun bool, see func(watch.Look)) error {
	var stderr bytes.Buffer
	argv := []string{"slurmlabd", "watch"}
	if ofRun {
		argv = append(argv, "--of-run")
	}
	// The end of its input is the order to end.
	kill := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(leaveLimit, func() { close(kill) }) })()
	code, err := cluster.Stream(ctx, kill, &orderReader{ctx: ctx, orders: orders}, &lookWriter{see: see}, &stderr, argv...)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("watch cluster: %w", err)
	case code != 0:
		return fmt.Errorf("watch cluster: slurmlabd ended with exit code %d%s", code, lastWords(strings.TrimSpace(stderr.String())))
	default:
		return nil
	}
}

// orderReader reads orders, one a line, until ctx ends: later orders belong to the next watcher.
type orderReader struct {
	ctx    context.Context
	orders <-chan string
	rest   []byte
}

// Read implements io.Reader.
func (r *orderReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		select {
		case order := <-r.orders:
			r.rest = []byte(order + "\n")
		case <-r.ctx.Done():
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// LookOnce takes one look at a running cluster.
func LookOnce(ctx context.Context, cluster Cluster, ofRun bool) (watch.Look, error) {
	argv := []string{"slurmlabd", "watch", "--once"}
	if ofRun {
		argv = append(argv, "--of-run")
	}
	var look watch.Look
	out, err := output(ctx, cluster, argv...)
	if err == nil {
		err = json.Unmarshal(out, &look)
	}
	return look, err
}

// lookWriter cuts the output of slurmlabd watch into looks.
type lookWriter struct {
	rest []byte
	see  func(watch.Look)
}

func (w *lookWriter) Write(p []byte) (int, error) {
	return eachEvent(&w.rest, p, func(l watch.Look) error {
		w.see(l)
		return nil
	})
}

// Watcher looks at the cluster of a run.
type Watcher struct {
	// See gets each look. Orders are those of Watch. Over is closed when nobody looks any more.
	See    func(watch.Look)
	Orders <-chan string
	Over   <-chan struct{}
}

// watch lets the watcher look until the function that it returns is called. A watcher that
// fails is no fault of the run.
func (c Config) watch(ctx context.Context, cluster Cluster) (unwatch func()) {
	if c.Watcher == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		select {
		case <-c.Watcher.Over:
			stop()
		case <-ctx.Done():
		}
	}()
	go func() {
		defer close(ended)
		if err := Watch(ctx, cluster, c.Watcher.Orders, true, c.Watcher.See); err != nil {
			c.Warn("the run goes on and cannot be watched: " + err.Error())
		}
	}()
	return func() {
		stop()
		<-ended
	}
}
