package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
)

// talk is a slurmlabd in a cluster that is asked for something.
type talk struct {
	// command of slurmlabd, and request, which it reads on its standard input.
	command string
	request any
	// out takes what it prints; an error of it ends slurmlabd.
	out io.Writer
	// silence is how many seconds without a word end it, 0 for silenceLimit.
	silence int
	// begin, if not nil, gets before anything else a function that writes a line after the request.
	begin func(say func(any) error) error
	// warn is called when nothing was heard for long.
	warn func(string)
}

// ending is how a slurmlabd ended.
type ending struct {
	cluster Cluster
	code    int
	// words on its standard error.
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
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if heard.dead(listen, seconds) {
			kill(silentError(ctx, cluster, seconds))
		}
	}()
	var stderr bytes.Buffer
	code, err := cluster.Stream(ctx, listen.Done(), stdin, heard, &stderr, "slurmlabd", t.command)
	if listen.Err() != nil {
		err = context.Cause(listen)
	}
	kill(nil)
	<-watched
	if heard.looks > 0 {
		t.warn(fmt.Sprintf("nothing was heard of the cluster for %d s of real time: its container was stopped, or its engine did not answer", heard.looks))
	}
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
	quiet
	out io.Writer
}

func (l *listener) Write(p []byte) (int, error) {
	l.signs.Add(1)
	return l.out.Write(p)
}
