package records

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Source is a trace that can be read more than once.
type Source struct {
	// Name is for messages and for the record of the import.
	Name string
	Open func() (io.ReadCloser, error)
}

// Read opens the source and hands its text, unpacked and without a byte order
// mark, to use. Every byte of the source is also given to raw, if not nil.
func (s Source) Read(raw io.Writer, use func(io.Reader) error) error {
	file, err := s.Open()
	if err != nil {
		return err
	}
	var in io.Reader = file
	if raw != nil {
		in = io.TeeReader(file, raw)
	}
	err = s.unpack(in, use)
	if err == nil {
		// A reader may stop before the end; raw gets everything.
		_, err = io.Copy(io.Discard, in)
	}
	return errors.Join(err, file.Close())
}

func (s Source) unpack(in io.Reader, use func(io.Reader) error) error {
	text := bufio.NewReader(in)
	if magic, _ := text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzip, err := gzip.NewReader(text)
		if err != nil {
			return fmt.Errorf("%s: gzip: %w", s.Name, err)
		}
		text = bufio.NewReader(unzip)
	}
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		// Peek has read what is thrown away.
		_, _ = text.Discard(3)
	}
	return use(text)
}

// MaxLine bounds a line and a record, so that a file without line ends cannot
// fill the memory.
const MaxLine = 1 << 20

// Lines reads a text line by line in bounded memory.
type Lines struct {
	name string
	in   *bufio.Reader
	// number is the number of the line last returned, from 1.
	Number int
	long   []byte
}

// NewLines reads a text from its beginning; the name is for messages.
func NewLines(name string, in io.Reader) *Lines {
	return &Lines{name: name, in: bufio.NewReaderSize(in, 1<<16)}
}

// Header returns the first line, "" of an empty text. A line above MaxLine is an
// error.
func (l *Lines) Header() (string, error) {
	line, err := l.Next()
	var long *faults.Fault
	switch {
	case errors.As(err, &long):
		return "", fmt.Errorf("%s:%d: %w", l.name, long.Line, long)
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	return string(line), nil
}

// Filled is next, but for lines that are empty or blank: dumps are often edited, and end in some.
func (l *Lines) Filled() ([]byte, error) {
	for {
		line, err := l.Next()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// Next returns the next line without its end, or io.EOF after the last one.
// The bytes are good until the next call. A line above MaxLine is a *faults.Fault.
func (l *Lines) Next() ([]byte, error) {
	l.long = l.long[:0]
	l.Number++
	for {
		part, err := l.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			// The head of a line that is too long is enough to go on with.
			if len(l.long) <= MaxLine {
				l.long = append(l.long, part...)
			}
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s:%d: %w", l.name, l.Number, err)
		case err != nil && len(part) == 0 && len(l.long) == 0:
			return nil, io.EOF
		}
		if len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		if len(part) > MaxLine {
			return nil, Bad(l.Number, "line", fmt.Sprintf("got more than %d bytes", MaxLine), strconv.Itoa(MaxLine))
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
	}
}
