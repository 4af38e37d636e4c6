package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
)

// talk is a slurmlabd in a cluster that is asked for something.
type talk struct {
	// command is that of slurmlabd, request what it reads on its standard input.
	command string
	request any
	// out takes what it prints; an error of it ends slurmlabd.
	out io.Writer
	// silence is how many seconds without a word end it, 0 for silenceLimit.
	silence int
	// begin, if not nil, is told before anything else how to write a line after the request.
	begin func(say func(any) error) error
	// warn is told when nothing was heard for long.
	warn func(string)
}

// ending is how a slurmlabd ended.
type ending struct {
	cluster Cluster
	code    int
	// words are those of its standard error.
	words string
}

// on talks until slurmlabd has ended, until it has been silent for too long, or, when ctx ends,
// for graceLimit longer. The error says why it was not heard to its end.
func (t talk) on(ctx context.Context, cluster Cluster) (ending, error) {
	stdin, say, err := requestInput(t.request)
	if err != nil {
		return ending{}, err
	}
	defer func() { _ = stdin.Close() }()
	if t.begin != nil {
		if err = t.begin(say); err != nil {
			return ending{}, err
		}
	}
	heard := &listener{out: t.out}
	listen, kill := withGrace(ctx)
	defer kill(nil)
	seconds := cmp.Or(t.silence, silenceLimit)
	go func() {
		if silence(listen, &heard.signs, seconds) {
			kill(silentError(ctx, cluster, seconds))
		}
	}()
	var stderr bytes.Buffer
	heard.mark()
	code, err := cluster.Stream(ctx, listen.Done(), stdin, heard, &stderr, "slurmlabd", t.command)
	if listen.Err() != nil {
		err = context.Cause(listen)
	}
	heard.rest()
	heard.tell(t.warn, "nothing was heard of the cluster for %.0f s of real time: its container was stopped, or its runtime did not answer")
	return ending{cluster, code, strings.TrimSpace(stderr.String())}, err
}

// before says why slurmlabd ended before what it was to do: a limit of its container, a signal,
// or what it printed itself.
func (e ending) before(ctx context.Context, what string) error {
	if err := exceeded(ctx, e.cluster); err != nil {
		return err
	}
	if e.code == killedCode {
		return fmt.Errorf("slurmlabd was killed (exit code %d) before %s ended%s", e.code, what, lastWords(e.words))
	}
	return fmt.Errorf("slurmlabd ended with exit code %d before %s ended%s", e.code, what, lastWords(e.words))
}

// killedCode is the exit code of a process that died of SIGKILL.
const killedCode = 137

func lastWords(text string) string {
	if text == "" {
		return "; it printed no error"
	}
	return ": " + text
}

// listener counts what slurmlabd writes, and notes when it wrote nothing.
type listener struct {
	gaps
	out   io.Writer
	signs atomic.Int64
}

func (l *listener) Write(p []byte) (int, error) {
	l.signs.Add(1)
	l.mark()
	return l.out.Write(p)
}
