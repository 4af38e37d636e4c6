package clock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// shared is a mapped page and the slots that this process keeps in it.
type shared struct {
	*page

	mu   sync.Mutex
	idle []*waiter
}

// waiter is a slot and the socket through which its wait is ended.
type waiter struct {
	slot   int
	socket *net.UnixConn
}

// maxIdle is how many slots a process keeps for its next waits. The emulator waits in
// fewer slots at a time. Slots beyond maxIdle are given back after each wait.
const maxIdle = 8

// ErrNoSlot is also the error of Stats.Fault.
var ErrNoSlot = fmt.Errorf("all %d slots of the clock are taken: too many threads of the cluster wait at the same time", pageSlots)

// longAgo, set as the deadline of a read, ends the read at once.
var longAgo = time.Unix(1, 0)

// sleep waits until virtual CLOCK_MONOTONIC reaches deadline, by the protocol
// of vclock.h.
//
// It waits as a poll(2) would, in Go's poller, and not for the slot's word. A goroutine that blocks in a futex keeps
// its processor of Go's scheduler until the runtime's monitor takes it away, after up to 10 ms (20 ms after long
// computing). In that time no goroutine notices a reply on a pipe. Then the cluster looks idle, and virtual time
// jumps although there is work.
func (s *shared) sleep(ctx context.Context, deadline int64) error {
	asked := deadline - s.now()
	if asked <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w, err := s.take()
	if err != nil {
		return fmt.Errorf("sleep in virtual time: %w", err)
	}
	defer s.give(w)
	// This function may still run when the slot serves its next wait. That wait is
	// woken for nothing, looks at the time and goes on.
	stop := context.AfterFunc(ctx, func() { _ = w.socket.SetReadDeadline(longAgo) })
	defer stop()
	s.slot[w.slot].asked = asked
	s.deadline[w.slot].Store(deadline)
	defer s.deadline[w.slot].Store(0)
	for {
		left := time.Duration(s.real(deadline) - realMonotonic())
		if err := w.socket.SetReadDeadline(time.Now().Add(left)); err != nil {
			return fmt.Errorf("sleep in virtual time: %w", err)
		}
		// Only now, so that an end of ctx either shows here or comes later than
		// the deadline above and replaces it.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.now() >= deadline {
			return nil
		}
		var datagram [1]byte
		if _, err := w.socket.Read(datagram[:]); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("sleep in virtual time: %w", err)
		}
	}
}

// take returns a slot that no other wait uses.
func (s *shared) take() (*waiter, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return w, nil
	}
	s.mu.Unlock()
	// Without a name the kernel chooses a free abstract one (unix(7), autobind).
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram"})
	if err != nil {
		return nil, err
	}
	i, err := s.claim()
	if err != nil {
		_ = socket.Close()
		return nil, err
	}
	// Only the owner writes to a slot, and vclockd reads it after the deadline.
	own := &s.slot[i]
	// Goroutines move between threads; the first thread lives as long as the process.
	own.tid = int32(os.Getpid())
	own.kind = kindPoll
	own.nameLen = uint8(copy(own.name[:], strings.TrimPrefix(socket.LocalAddr().String(), "@")))
	own.thread = [pageName]byte{}
	copy(own.thread[:pageName-1], filepath.Base(os.Args[0]))
	return &waiter{slot: i, socket: socket}, nil
}

// claim makes a free slot of the page this process's.
func (s *shared) claim() (int, error) {
	for i := range s.slot {
		if !s.slot[i].owner.CompareAndSwap(0, int32(os.Getpid())) {
			continue
		}
		for {
			high := s.high.Load()
			if high > uint32(i) || s.high.CompareAndSwap(high, uint32(i)+1) {
				return i, nil
			}
		}
	}
	return 0, ErrNoSlot
}

// give takes back a slot whose wait is over. At the end of the process vclockd
// frees those that are idle.
func (s *shared) give(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) < maxIdle {
		s.idle = append(s.idle, w)
		return
	}
	s.slot[w.slot].owner.Store(0)
	_ = w.socket.Close()
}
