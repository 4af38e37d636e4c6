package benchmark

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// message is a line of the protocol, in JSON. A payload begins with Job and Load, and says afterwards
// when it is suspended and resumed; the server answers each change with rates, and real
// applications with threads.
type message struct {
	Job       string   `json:"job,omitempty"`
	Load      *Load    `json:"load,omitempty"`
	Suspended *bool    `json:"suspended,omitempty"`
	Rate      *float64 `json:"rate,omitempty"`
	Threads   *int     `json:"threads,omitempty"`
}

// Server tells payloads their rates, or their threads.
type Server struct {
	// Model is nil for real applications, whose rates nobody knows.
	Model *Contention
	Node  Node
	// Now is the time of changes; nil if nobody asks for them.
	Now func() time.Time

	mu       sync.Mutex
	payloads []*connected
	changes  []Change
}

type connected struct {
	out   *json.Encoder
	job   string
	load  Load
	rate  float64
	cores float64
	// threads of a real application.
	threads int
}

// Changes returns what the payloads computed with since it was asked last, in the order of time.
func (s *Server) Changes() []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.changes
	s.changes = nil
	return all
}

// note notes what a payload computes with from now on, if it is something else than before.
func (s *Server) note(p *connected, cores, rate float64) {
	if s.Now != nil && (cores != p.cores || s.Model != nil && rate != p.rate) {
		s.changes = append(s.changes, Change{ID: p.job, At: s.Now(), Cores: cores, Rate: rate})
	}
	p.cores = cores
}

// Serve answers payloads until the listener is closed.
func (s *Server) Serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("serve payloads: %w", err)
		}
		go s.serve(conn)
	}
}

// serve follows one payload. How its connection ends tells nothing: Slurm says how it ended.
func (s *Server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	lines := bufio.NewScanner(conn)
	p := &connected{out: json.NewEncoder(conn), rate: -1, threads: -1}
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			break
		}
		s.mu.Lock()
		if m.Load != nil {
			p.job, p.load = m.Job, *m.Load
			s.payloads = append(s.payloads, p)
		}
		if m.Suspended != nil {
			p.load.Suspended = *m.Suspended
		}
		s.tell()
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.payloads {
		if other == p {
			s.payloads = append(s.payloads[:i:i], s.payloads[i+1:]...)
			s.note(p, 0, 0)
			break
		}
	}
	s.tell()
}

// tell tells each payload its rate, or its threads, if they are others than before.
func (s *Server) tell() {
	loads := make([]Load, len(s.payloads))
	for i, p := range s.payloads {
		loads[i] = p.load
	}
	cores := Cores(s.Node, loads)
	if s.Model == nil {
		// Who lends stops before the other one begins.
		threads := Threads(s.Node, loads)
		for _, lends := range []bool{true, false} {
			for i, p := range s.payloads {
				if p.load.Lends != lends {
					continue
				}
				s.note(p, cores[i], 0)
				if p.threads != threads[i] {
					p.threads = threads[i]
					_ = p.out.Encode(message{Threads: &threads[i]})
				}
			}
		}
		return
	}
	for i, rate := range s.Model.Rates(s.Node, loads) {
		p := s.payloads[i]
		s.note(p, cores[i], rate)
		if p.rate != rate {
			p.rate = rate
			// A payload that is gone is noticed by its reader.
			_ = p.out.Encode(message{Rate: &rate})
		}
	}
}
