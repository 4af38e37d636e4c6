package interchange

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

// read opens the source and hands its text, unpacked and without a byte order
// mark, to use. Every byte of the source is also given to raw, if not nil.
func (s Source) read(raw io.Writer, use func(io.Reader) error) error {
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

// maxLine bounds a line and a record, so that a file without line ends cannot
// fill the memory.
const maxLine = 1 << 20

// lines reads a text line by line in bounded memory.
type lines struct {
	name string
	in   *bufio.Reader
	// number is the number of the line last returned, from 1.
	number int
	long   []byte
}

func newLines(name string, in io.Reader) *lines {
	return &lines{name: name, in: bufio.NewReaderSize(in, 1<<16)}
}

// header returns the first line, "" of an empty text. A line above maxLine is an
// error.
func (l *lines) header() (string, error) {
	line, err := l.next()
	var long *faults.Fault
	switch {
	case errors.As(err, &long):
		return "", fmt.Errorf("%s:%d: %w", l.name, long.Line, long)
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	return string(line), nil
}

// filled is next, but for lines that are empty or blank: dumps are often edited, and end in some.
func (l *lines) filled() ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// next returns the next line without its end, or io.EOF after the last one.
// The bytes are good until the next call. A line above maxLine is a *faults.Fault.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	l.number++
	for {
		part, err := l.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			// The head of a line that is too long is enough to go on with.
			if len(l.long) <= maxLine {
				l.long = append(l.long, part...)
			}
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s:%d: %w", l.name, l.number, err)
		case err != nil && len(part) == 0 && len(l.long) == 0:
			return nil, io.EOF
		}
		if len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		if len(part) > maxLine {
			return nil, badRecord(l.number, "line", fmt.Sprintf("got more than %d bytes", maxLine), strconv.Itoa(maxLine))
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
	}
}
