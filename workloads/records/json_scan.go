package records

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// JSONScan cuts the objects of one list out of a JSON text of any size, with one object in memory. It looks for where values begin and
// end: what is in an object, encoding/json reads. That is several times faster than its decoder, and passes over values of any size.
type JSONScan struct {
	name string
	in   *bufio.Reader
	// line is where the scan stands, from 1.
	line int
	// value is the last object without white space; tooLong says that it has more than MaxLine bytes.
	Value   []byte
	TooLong bool
	// spaced says that white space stands before the last token.
	spaced bool
}

// NewJSONScan reads a text from its beginning; the name is for messages.
func NewJSONScan(name string, in *bufio.Reader) JSONScan {
	return JSONScan{name: name, in: in, line: 1}
}

func (s *JSONScan) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: JSON: "+format, append([]any{s.name, s.line}, args...)...)
}

// get returns the next byte.
func (s *JSONScan) get() (byte, error) {
	c, err := s.in.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, s.fail("got the end of the text, allowed a whole object")
	case c == '\n':
		s.line++
	}
	return c, err
}

// token returns the next byte that is no white space.
func (s *JSONScan) token() (byte, error) {
	for s.spaced = false; ; s.spaced = true {
		c, err := s.get()
		if err != nil || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, err
		}
	}
}

// expect reads a byte that must be there.
func (s *JSONScan) expect(want byte) error {
	c, err := s.token()
	if err == nil && c != want {
		return s.fail("got %q, allowed %q", c, want)
	}
	return err
}

func (s *JSONScan) keep(c byte, keep bool) {
	switch {
	case !keep:
	case len(s.Value) < MaxLine:
		s.Value = append(s.Value, c)
	default:
		s.TooLong = true
	}
}

// text passes over a string behind its first quotation mark, and keeps it if asked to.
func (s *JSONScan) text(keep bool) error {
	s.keep('"', keep)
	for {
		c, err := s.get()
		if err != nil {
			return err
		}
		s.keep(c, keep)
		switch c {
		case '"':
			return nil
		case '\\':
			if c, err = s.get(); err != nil {
				return err
			}
			s.keep(c, keep)
		}
	}
}

// pass passes over a value that begins with c. It returns the byte behind it, the only end of a number.
func (s *JSONScan) pass(c byte, keep bool) (next byte, err error) {
	bare := false
	for depth := 0; ; {
		wasBare := bare
		bare = false
		switch c {
		case '"':
			if err = s.text(keep); err != nil {
				return 0, err
			}
		case '{', '[':
			depth++
			s.keep(c, keep)
		case '}', ']', ',':
			if depth == 0 {
				return c, nil
			}
			if c != ',' {
				depth--
			}
			s.keep(c, keep)
		case ':':
			s.keep(c, keep)
		default:
			if bare = true; wasBare && s.spaced {
				// Without the white space 1 2 would be 12.
				return 0, s.fail("got two values with white space between them, allowed a comma")
			}
			s.keep(c, keep)
		}
		if c, err = s.token(); err != nil {
			return 0, err
		}
	}
}

// key reads the key of a member behind its first quotation mark, and the colon.
func (s *JSONScan) key() (string, error) {
	from := len(s.Value)
	if err := s.text(true); err != nil {
		return "", err
	}
	if s.TooLong {
		return "", s.expect(':')
	}
	return string(s.Value[from+1 : len(s.Value)-1]), s.expect(':')
}

// Open goes to the elements of the list that the document has under a key.
func (s *JSONScan) Open(list string) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	for {
		if err := s.expect('"'); err != nil {
			return err
		}
		s.Value = s.Value[:0]
		key, err := s.key()
		if err != nil {
			return err
		}
		if key == list {
			return s.expect('[')
		}
		c, err := s.token()
		if err == nil {
			c, err = s.pass(c, false)
		}
		switch {
		case err != nil:
			return err
		case c == '}':
			return s.fail("got no list %q, allowed an object with it", list)
		}
	}
}

// Next reads the next element, an object, into value. Members that skip says are null there. It returns the line where the object begins, and
// io.EOF behind the last one.
func (s *JSONScan) Next(skip func(key string) bool) (line int, err error) {
	c, err := s.token()
	if err == nil && c == ',' {
		c, err = s.token()
	}
	switch {
	case err != nil:
		return s.line, err
	case c == ']':
		return s.line, io.EOF
	case c != '{':
		return s.line, s.fail("got %q, allowed an object", c)
	}
	line = s.line
	s.Value, s.TooLong = append(s.Value[:0], '{'), false
	for c = 0; c != '}'; {
		if c, err = s.token(); err != nil || c == '}' {
			break
		}
		if c != '"' {
			return line, s.fail("got %q, allowed a name in quotation marks", c)
		}
		var key string
		if key, err = s.key(); err != nil {
			return line, err
		}
		s.keep(':', true)
		if c, err = s.token(); err != nil {
			return line, err
		}
		skipped := skip(key)
		if c, err = s.pass(c, !skipped); err != nil {
			return line, err
		}
		if skipped {
			s.Value = append(s.Value, "null"...)
		}
		s.keep(c, true)
	}
	if s.Value[len(s.Value)-1] != '}' {
		s.Value = append(s.Value, '}')
	}
	return line, err
}

// End passes over the rest of the document behind the list. A second document would be jobs that nobody sees.
func (s *JSONScan) End() error {
	for {
		c, err := s.token()
		switch {
		case err != nil:
			return err
		case c == '}':
			return s.nothing()
		case c != ',':
			return s.fail("got %q, allowed ','", c)
		}
		if err = s.expect('"'); err != nil {
			return err
		}
		s.Value = s.Value[:0]
		if _, err = s.key(); err != nil {
			return err
		}
		if c, err = s.token(); err != nil {
			return err
		}
		if c, err = s.pass(c, false); err != nil {
			return err
		}
		if c == '}' {
			return s.nothing()
		}
		if err = s.in.UnreadByte(); err != nil {
			return err
		}
	}
}

// nothing wants no more than white space.
func (s *JSONScan) nothing() error {
	for {
		c, err := s.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case c == '\n':
			s.line++
		case c != ' ' && c != '\t' && c != '\r':
			return s.fail("got %q behind the object, allowed one object: import each dump by itself", c)
		}
	}
}

// IsJSON says whether a text begins as an object does, without reading it.
func IsJSON(in *bufio.Reader) bool {
	for n := 1; n <= 512; n++ {
		head, err := in.Peek(n)
		if err != nil && !errors.Is(err, io.EOF) || len(head) < n {
			return false
		}
		if c := head[n-1]; !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			return c == '{'
		}
	}
	return false
}
