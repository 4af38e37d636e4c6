package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// engine is a socket in front of the Docker engine's. It stands for an engine that
// hangs, dies or is restarted: the real one is not the campaign's to stop.
type engine struct {
	dir, real string
	listener  net.Listener
	mu        sync.Mutex
	// ready is open while the engine hangs, and closed while it works.
	ready chan struct{}
	dead  bool
	conns map[net.Conn]bool
}

// front makes the socket.
func front(real string) (*engine, error) {
	dir, err := os.MkdirTemp("/tmp", "nemesis-engine-")
	if err != nil {
		return nil, fmt.Errorf("make socket of the engine: %w", err)
	}
	e := &engine{dir: dir, real: real, ready: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(e.ready)
	if e.listener, err = net.Listen("unix", e.socket()); err != nil {
		return nil, fmt.Errorf("make socket of the engine: %w", err)
	}
	go e.accept()
	return e, nil
}

func (e *engine) socket() string { return filepath.Join(e.dir, "engine") }

func (e *engine) accept() {
	for {
		conn, err := e.listener.Accept()
		if err != nil {
			return
		}
		go e.serve(conn)
	}
}

func (e *engine) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	if !e.keep(conn) {
		return
	}
	upstream, err := net.Dial("unix", e.real)
	if err != nil {
		return
	}
	defer func() { _ = upstream.Close() }()
	if !e.keep(upstream) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { e.copy(upstream, conn) })
	both.Go(func() { e.copy(conn, upstream) })
	both.Wait()
}

// keep remembers a connection, or refuses it while the engine is dead.
func (e *engine) keep(conn net.Conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.dead {
		e.conns[conn] = true
	}
	return !e.dead
}

// copy passes bytes on while the engine works, and the end of the input, which ends the input of a command in a
// container.
func (e *engine) copy(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		e.mu.Lock()
		ready := e.ready
		e.mu.Unlock()
		<-ready
		if n > 0 {
			if _, writeErr := to.Write(buffer[:n]); writeErr != nil {
				_ = from.Close()
				return
			}
		}
		if err != nil {
			if half, ok := to.(*net.UnixConn); ok && errors.Is(err, io.EOF) {
				_ = half.CloseWrite()
				return
			}
			_ = to.Close()
			return
		}
	}
}

// hang lets no byte through until work.
func (e *engine) hang() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ready = make(chan struct{})
}

// die breaks all connections and refuses new ones until work.
func (e *engine) die() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = true
	for conn := range e.conns {
		_ = conn.Close()
	}
	clear(e.conns)
}

// work ends hang and die.
func (e *engine) work() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = false
	select {
	case <-e.ready:
	default:
		close(e.ready)
	}
}

func (e *engine) close() {
	e.work()
	_ = e.listener.Close()
	e.mu.Lock()
	for conn := range e.conns {
		_ = conn.Close()
	}
	e.mu.Unlock()
	_ = os.RemoveAll(e.dir)
}
