package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Deed is what a Call asks for.
type Deed string

// Deeds are the methods of Program.
const (
	DeedStart Deed = "start"
	DeedAsk   Deed = "ask"
	DeedEnd   Deed = "end"
)

// Call is a line to the Server. One to end the program has no Reply.
type Call struct {
	Number int  `json:"number"`
	Deed   Deed `json:"deed"`
	// Line is the question of DeedAsk.
	Line string `json:"line,omitempty"`
}

// Reply is a line from the Server.
type Reply struct {
	Number int `json:"number"`
	// Line is what the program answered.
	Line string `json:"line,omitempty"`
	// Error is why it did not. Unreadable says that the error is ErrUnreadable.
	Error      string `json:"error,omitempty"`
	Unreadable bool   `json:"unreadable,omitempty"`
}

// distantStartLimit is the real time in which a program has to be started.
const distantStartLimit = 30 * time.Second

// Distant is a Program at the other end of a connection. What comes from there is
// written to it.
type Distant struct {
	// Send hands a Call to the other end. It is set before the first call of a method.
	Send func(Call) error

	mu     sync.Mutex
	rest   []byte
	number int
	// wanted is the number of the reply that somebody waits for, 0 for none.
	wanted int
	got    chan Reply
}

// NewDistant returns a program whose Send is not set yet.
func NewDistant() *Distant { return &Distant{got: make(chan Reply, 1)} }

// Write takes what comes from the other end. It does not block.
func (p *Distant) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, text...)
	for {
		line, after, found := bytes.Cut(p.rest, []byte("\n"))
		if !found {
			return len(text), nil
		}
		p.rest = after
		var reply Reply
		if err := json.Unmarshal(line, &reply); err != nil {
			return 0, fmt.Errorf("read reply %.80q of slurmlab: %w", line, err)
		}
		if p.wanted != 0 && reply.Number == p.wanted {
			p.wanted = 0
			p.got <- reply
		}
	}
}

// Start implements Program.
func (p *Distant) Start() error {
	ctx, cancel := context.WithTimeout(context.Background(), distantStartLimit)
	defer cancel()
	_, err := p.call(ctx, Call{Deed: DeedStart})
	return err
}

// Ask implements Program.
func (p *Distant) Ask(ctx context.Context, question []byte) ([]byte, error) {
	return p.call(ctx, Call{Deed: DeedAsk, Line: string(question)})
}

// End implements Program.
func (p *Distant) End() {
	p.mu.Lock()
	p.number++
	number := p.number
	p.mu.Unlock()
	// If nobody listens, the program has ended with who listened.
	_ = p.Send(Call{Number: number, Deed: DeedEnd})
}

// call waits for the reply until ctx ends.
func (p *Distant) call(ctx context.Context, c Call) ([]byte, error) {
	p.mu.Lock()
	p.number++
	c.Number, p.wanted = p.number, p.number
	p.mu.Unlock()
	if err := p.Send(c); err != nil {
		return nil, fmt.Errorf("reach the program: %w", err)
	}
	select {
	case r := <-p.got:
		switch {
		case r.Unreadable:
			return nil, ErrUnreadable
		case r.Error != "":
			return nil, errors.New(r.Error)
		}
		return []byte(r.Line), nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted == 0 {
		// The reply came in this moment.
		<-p.got
	}
	p.wanted = 0
	return nil, ErrLate
}
