package payload

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/slurmlab/slurmlab/djsb/contention"
)

// message is a line of the protocol, in JSON. A payload begins with Load, and says afterwards
// when it is suspended and resumed; the server answers each change with rates.
type message struct {
	Load      *contention.Load `json:"load,omitempty"`
	Suspended *bool            `json:"suspended,omitempty"`
	Rate      *float64         `json:"rate,omitempty"`
}

// Server tells payloads their rates.
type Server struct {
	Model contention.Model
	Node  contention.Node

	mu       sync.Mutex
	payloads []*connected
}

type connected struct {
	out  *json.Encoder
	load contention.Load
	rate float64
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
	p := &connected{out: json.NewEncoder(conn), rate: -1}
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			break
		}
		s.mu.Lock()
		if m.Load != nil {
			p.load = *m.Load
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
			break
		}
	}
	s.tell()
}

// tell tells each payload its rate, if it is another than before.
func (s *Server) tell() {
	loads := make([]contention.Load, len(s.payloads))
	for i, p := range s.payloads {
		loads[i] = p.load
	}
	for i, rate := range s.Model.Rates(s.Node, loads) {
		if p := s.payloads[i]; p.rate != rate {
			p.rate = rate
			// A payload that is gone is noticed by its reader.
			_ = p.out.Encode(message{Rate: &rate})
		}
	}
}
