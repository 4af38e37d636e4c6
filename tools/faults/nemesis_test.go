package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// A process at the armed point is held until it may go on, and others are not.
func TestPointHoldsTheFirst(t *testing.T) {
	p, err := listen("drain")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	arrive := func(name string) net.Conn {
		conn, dialErr := net.Dial("unix", p.socket())
		if dialErr != nil {
			t.Fatal(dialErr)
		}
		if _, dialErr = io.WriteString(conn, name+"\n"); dialErr != nil {
			t.Fatal(dialErr)
		}
		return conn
	}
	goesOn := func(conn net.Conn) {
		t.Helper()
		if _, readErr := conn.Read(make([]byte, 1)); !errors.Is(readErr, io.EOF) {
			t.Errorf("got %v, want the end of the connection", readErr)
		}
	}
	goesOn(arrive("copy"))
	first := arrive("drain")
	goOn, err := p.await(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err = first.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if _, err = first.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("the process at the point goes on by itself: %v", err)
	}
	goOn()
	if err = first.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	goesOn(first)
	over, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrUnexpectedEOF)
	if _, err = p.await(over); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// echo is an engine that answers each line with the same line.
func echo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	return path
}

// An engine that hangs keeps its connections and answers when it works again; one that
// dies breaks them and takes no new ones until it is back.
func TestEngineHangsAndDies(t *testing.T) {
	e, err := front(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	connect := func() (net.Conn, *bufio.Reader) {
		conn, dialErr := net.Dial("unix", e.socket())
		if dialErr != nil {
			t.Fatal(dialErr)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn, bufio.NewReader(conn)
	}
	say := func(conn net.Conn, text string) {
		t.Helper()
		if _, writeErr := io.WriteString(conn, text+"\n"); writeErr != nil {
			t.Fatal(writeErr)
		}
	}
	hear := func(from *bufio.Reader, want string) {
		t.Helper()
		if got, readErr := from.ReadString('\n'); readErr != nil || got != want+"\n" {
			t.Errorf("got %q, %v, want %q", got, readErr, want)
		}
	}
	conn, answers := connect()
	say(conn, "works")
	hear(answers, "works")
	e.hang()
	say(conn, "hangs")
	if err = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if got, readErr := answers.ReadString('\n'); readErr == nil {
		t.Errorf("an engine that hangs says %q", got)
	}
	e.work()
	if err = conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	hear(answers, "hangs")
	e.die()
	if got, readErr := answers.ReadString('\n'); readErr == nil {
		t.Errorf("a dead engine says %q", got)
	}
	_, answers = connect()
	if got, readErr := answers.ReadString('\n'); readErr == nil {
		t.Errorf("a dead engine says %q", got)
	}
	e.work()
	conn, answers = connect()
	say(conn, "back")
	hear(answers, "back")
	// The end of the input is passed on: a command in a container learns of it.
	if err = conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, readErr := answers.ReadString('\n'); !errors.Is(readErr, io.EOF) {
		t.Errorf("got %q, %v", got, readErr)
	}
}
