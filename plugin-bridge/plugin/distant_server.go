package plugin

import (
	"context"
	"errors"
)

// Server has a program do what calls say, one after the other. It must be closed.
type Server struct {
	program Program
	reply   func(Reply)
	calls   chan work
	// interrupt ends the last question. Do alone uses it.
	interrupt context.CancelFunc
	ctx       context.Context
	stop      context.CancelFunc
	done      chan struct{}
}

// work is a Call, with the context of its question.
type work struct {
	Call
	ctx context.Context
}

// backlog bounds the calls that wait for those before them. A decider has one question open, and ends its program
// before it restarts it.
const backlog = 16

// NewServer returns one that hands replies to a function.
func NewServer(program Program, reply func(Reply)) *Server {
	s := &Server{program: program, reply: reply, calls: make(chan work, backlog), interrupt: func() {}, done: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	go s.serve()
	return s
}

// Do has a call carried out. It does not wait for that. It is not safe for concurrent use.
func (s *Server) Do(c Call) {
	w := work{Call: c, ctx: s.ctx}
	// A question that is followed by another call has nobody who waits for its answer.
	s.interrupt()
	s.interrupt = func() {}
	if c.Deed == DeedAsk {
		w.ctx, s.interrupt = context.WithCancel(s.ctx)
	}
	select {
	case s.calls <- w:
	case <-s.ctx.Done():
	}
}

// Close ends the program.
func (s *Server) Close() {
	s.stop()
	<-s.done
	s.program.End()
}

func (s *Server) serve() {
	defer close(s.done)
	for {
		select {
		case w := <-s.calls:
			s.carryOut(w)
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *Server) carryOut(w work) {
	reply := Reply{Number: w.Number}
	var err error
	switch w.Deed {
	case DeedStart:
		err = s.program.Start()
	case DeedAsk:
		var line []byte
		line, err = s.program.Ask(w.ctx, []byte(w.Line))
		reply.Line = string(line)
	case DeedEnd:
		s.program.End()
		return
	}
	if err != nil {
		reply.Line, reply.Error, reply.Unreadable = "", err.Error(), errors.Is(err, ErrUnreadable)
	}
	if w.ctx.Err() == nil {
		s.reply(reply)
	}
}
