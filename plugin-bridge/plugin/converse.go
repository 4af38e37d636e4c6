package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Program is a process that speaks the protocol.
type Program interface {
	// Start starts it, after ending what is left of the one before.
	Start() error
	// Ask hands it a line and returns the line that it answers, and lets it compute until
	// then and no longer. It fails with ErrLate when ctx ends, and with another error when
	// the program has ended.
	Ask(ctx context.Context, question []byte) ([]byte, error)
	// End ends it.
	End()
}

// ErrLate is the error of a program that did not answer in time.
var ErrLate = errors.New("it did not answer within its limit")

// helloLimit is the least real time for the start of a program and its hello, in which it
// loads its interpreter, its libraries and perhaps a trained model.
const helloLimit = time.Minute

// Greet starts a program and exchanges hellos. limit bounds each of its answers.
func Greet(ctx context.Context, p Program, limit time.Duration) (Welcome, *Fault) {
	ctx, cancel := context.WithTimeout(ctx, max(limit, helloLimit))
	defer cancel()
	if err := p.Start(); err != nil {
		return Welcome{}, faultf(KindEnded, 0, "%v", err)
	}
	line, err := encode(Hello{Type: typeHello, Version: Version, LimitS: limit.Seconds()})
	if err != nil {
		return Welcome{}, faultf(KindUnreadable, 0, "%v", err)
	}
	answer, fault := exchange(ctx, p, line)
	if fault != nil {
		fault.Text = "hello: " + fault.Text
		if fault.Kind == KindLate {
			fault.Text += "; a program must flush its output after each line"
		}
		return Welcome{}, fault
	}
	welcome, err := ReadWelcome(answer)
	if err != nil {
		return welcome, faultf(KindUnreadable, 0, "hello: %v", err)
	}
	return welcome, nil
}

// Put puts a question to a program that has said hello. Its answer must be there within the
// limit.
func Put(ctx context.Context, p Program, question Snapshot, limit time.Duration) (Answer, *Fault) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	line, err := encode(question)
	if err != nil {
		return Answer{}, faultf(KindUnreadable, 0, "%v", err)
	}
	text, fault := exchange(ctx, p, line)
	if fault != nil {
		return Answer{}, fault
	}
	answer, err := ReadAnswer(text, question.Number)
	if err != nil {
		return answer, faultf(KindUnreadable, 0, "%v", err)
	}
	return answer, nil
}

func exchange(ctx context.Context, p Program, line []byte) ([]byte, *Fault) {
	text, err := p.Ask(ctx, line)
	switch {
	case errors.Is(err, ErrLate):
		return nil, faultf(KindLate, 0, "%v", err)
	case errors.Is(err, ErrUnreadable):
		return nil, faultf(KindUnreadable, 0, "%v", err)
	case err != nil:
		return nil, faultf(KindEnded, 0, "%v", err)
	}
	return text, nil
}

// ErrUnreadable is the error of a program that wrote a line that is too long.
var ErrUnreadable = fmt.Errorf("it wrote a line of more than %d MiB", MaxLine>>20)
