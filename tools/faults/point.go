package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Environment variables of package faultpoint.
const (
	pointVariable  = "SLURMLAB_FAULTPOINT"
	socketVariable = "SLURMLAB_FAULTPOINT_SOCKET"
)

// point is the socket at which a run reports its armed point.
type point struct {
	name     string
	dir      string
	listener *net.UnixListener
	reached  chan *net.UnixConn
}

// listen makes the socket. Its path is short: a socket's may have 107 bytes.
func listen(name string) (*point, error) {
	dir, err := os.MkdirTemp("/tmp", "nemesis-")
	if err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	p := &point{name: name, dir: dir, reached: make(chan *net.UnixConn, 1)}
	if p.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: p.socket()}); err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	go p.accept()
	return p, nil
}

func (p *point) socket() string { return filepath.Join(p.dir, "point") }

// environment arms the point in a process.
func (p *point) environment() []string {
	return []string{pointVariable + "=" + p.name, socketVariable + "=" + p.socket()}
}

// accept holds the first process that reaches the point, and lets the others go on.
func (p *point) accept() {
	for {
		conn, err := p.listener.AcceptUnix()
		if err != nil {
			return
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || strings.TrimSpace(line) != p.name {
			_ = conn.Close()
			continue
		}
		select {
		case p.reached <- conn:
		default:
			_ = conn.Close()
		}
	}
}

// await returns what lets the process at the point go on.
func (p *point) await(ctx context.Context) (goOn func(), err error) {
	select {
	case conn := <-p.reached:
		return func() { _ = conn.Close() }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *point) close() {
	_ = p.listener.Close()
	select {
	case conn := <-p.reached:
		_ = conn.Close()
	default:
	}
	_ = os.RemoveAll(p.dir)
}
