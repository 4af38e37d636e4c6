package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// requestInput is the standard input of a slurmlabd that is asked for something. say writes a
// line after the request, and waits until it is read or stdin is closed. The input does not
// end: slurmlabd takes its end as the order to stop, and Stream closes it when its context ends.
func requestInput(request any) (stdin *io.PipeReader, say func(any) error, err error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, nil, fmt.Errorf("encode request: %w", err)
	}
	stdin, feed := io.Pipe()
	var turn sync.Mutex
	turn.Lock()
	go func() {
		defer turn.Unlock()
		_, _ = feed.Write(append(text, '\n'))
	}()
	return stdin, func(v any) error {
		turn.Lock()
		defer turn.Unlock()
		return line(feed, v)
	}, nil
}

// withGrace returns a context that lives graceLimit longer than ctx, and then ends with the
// reason for which ctx did, or as soon as kill is called.
func withGrace(ctx context.Context) (listen context.Context, kill context.CancelCauseFunc) {
	listen, end := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(graceLimit):
			end(stopReason(ctx))
		case <-listen.Done():
		}
	})
	return listen, func(cause error) {
		forget()
		end(cause)
	}
}

// eachEvent cuts what slurmlabd prints into lines and hands each on as an event. rest is what
// has no end of line yet.
func eachEvent[E any](rest *[]byte, p []byte, handle func(E) error) (int, error) {
	*rest = append(*rest, p...)
	for {
		line, after, found := bytes.Cut(*rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		*rest = after
		var event E
		if err := json.Unmarshal(line, &event); err != nil {
			return 0, fmt.Errorf("read event %.80q of slurmlabd: %w", line, err)
		}
		if err := handle(event); err != nil {
			return 0, err
		}
	}
}
