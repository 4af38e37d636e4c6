package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/internal/text"
)

// output is standard output or standard error. What is printed may come from a file of a stranger, so a terminal gets no
// character that it would obey; see text.Plain. What slurmlab itself tells a terminal passes unfiltered.
type output struct {
	file rawOutput

	mu sync.Mutex
	// rest begins a character whose other bytes were not written yet.
	rest []byte
}

func newOutput(file *os.File, unread func()) *output {
	return &output{file: rawOutput{file, unread}}
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := p
	if len(o.rest) > 0 {
		all = append(o.rest, p...)
	}
	whole := wholeCharacters(all)
	o.rest = bytes.Clone(all[whole:])
	if _, err := o.file.Write(text.Plain(all[:whole])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes a character that was never completed.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rest) > 0 {
		// The reader may be gone.
		_, _ = o.file.Write(text.Plain(o.rest))
		o.rest = nil
	}
}

// wholeCharacters is the number of bytes before a character at the end that lacks some.
func wholeCharacters(p []byte) int {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if utf8.FullRune(p[i:]) {
				break
			}
			return i
		}
	}
	return len(p)
}

// Fd is for who asks whether it is a terminal.
func (o *output) Fd() uintptr { return o.file.Fd() }

// unfiltered is the writer for what slurmlab tells a terminal, and for what a command prints that the user runs in a cluster.
func unfiltered(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.file
	}
	return w
}

// rawOutput calls unread when nobody will read what it is given, as after "| head".
type rawOutput struct {
	*os.File
	unread func()
}

// Write implements io.Writer.
func (o rawOutput) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.unread()
	}
	return n, err
}
