package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Document walks through a JSON text of any size with one value in memory.
type Document struct {
	name    string
	decoder *json.Decoder
	ends    *lineEnds
}

// NewDocument reads a text from its beginning; the name is for messages.
func NewDocument(name string, in io.Reader) *Document {
	ends := &lineEnds{in: in}
	return &Document{name: name, decoder: json.NewDecoder(ends), ends: ends}
}

// Line is where the decoder stands, from 1.
func (d *Document) Line() int { return d.ends.line(d.decoder.InputOffset()) }

// Fail is the fault of the line at which the decoder stands.
func (d *Document) Fail(text string) error {
	return fmt.Errorf("%s:%d: %s", d.name, d.Line(), text)
}

// broken is the error of a text that is no JSON, or not the JSON wanted.
func (d *Document) broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s:%d: JSON: %w", d.name, d.Line(), err)
}

// Value decodes the next value. A value of a wrong type is read to its end.
func (d *Document) Value(into any) error {
	d.expect()
	err := d.decoder.Decode(into)
	if err != nil {
		return d.broken(err)
	}
	return nil
}

// mostNested is how deep the values of keys that nobody asked for may be nested.
const mostNested = 1000

// errLong is the error of a value or of white space that fills the memory.
var errLong = fmt.Errorf("got more than %d bytes, allowed %d", MaxLine, MaxLine)

// expect allows the decoder to read as much as one value may have.
func (d *Document) expect() { d.ends.most = d.decoder.InputOffset() + MaxLine }

func (d *Document) token() (json.Token, error) {
	d.expect()
	return d.decoder.Token()
}

// More says whether there is another element. The error comes with the next read.
func (d *Document) More() bool {
	d.expect()
	return d.decoder.More()
}

// Skip reads the next value and forgets it.
func (d *Document) Skip() error {
	for depth := 0; ; {
		token, err := d.token()
		if err != nil {
			return d.broken(err)
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			if depth++; depth > mostNested {
				return d.Fail(fmt.Sprintf("JSON: lists and objects are nested too deeply, allowed %d", mostNested))
			}
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// Members reads the whole document, which must be one object.
func (d *Document) Members(each func(key string) error) error {
	if err := d.Object(each); err != nil {
		return err
	}
	if _, err := d.token(); !errors.Is(err, io.EOF) {
		return d.Fail("JSON: got more text, allowed one object")
	}
	return nil
}

// Object reads an object; each reads the value of a key.
func (d *Document) Object(each func(key string) error) error {
	return d.between('{', '}', func() error {
		for d.More() {
			key, err := d.token()
			if err != nil {
				return d.broken(err)
			}
			if err := each(key.(string)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Array reads a list; all reads its elements while there are More.
func (d *Document) Array(all func() error) error { return d.between('[', ']', all) }

func (d *Document) between(open, end json.Delim, inner func() error) error {
	token, err := d.token()
	if err != nil {
		return d.broken(err)
	}
	if token != open {
		return d.Fail(fmt.Sprintf("JSON: got %v, allowed %v", token, open))
	}
	if err = inner(); err != nil {
		return err
	}
	if token, err = d.token(); err != nil {
		return d.broken(err)
	}
	if token != end {
		return d.Fail(fmt.Sprintf("JSON: got %v, allowed %v", token, end))
	}
	return nil
}

// lineEnds passes a text on and remembers the line ends that the decoder has
// read but not yet passed.
type lineEnds struct {
	in   io.Reader
	read int64
	// most is how much may be read before the decoder has got its value.
	most   int64
	passed int
	ahead  []int64
}

func (l *lineEnds) Read(p []byte) (int, error) {
	if l.read >= l.most {
		return 0, errLong
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.most-l.read)])
	for part := p[:n]; ; {
		i := bytes.IndexByte(part, '\n')
		if i < 0 {
			break
		}
		l.ahead = append(l.ahead, l.read+int64(n-len(part)+i))
		part = part[i+1:]
	}
	l.read += int64(n)
	return n, err
}

// line is the line of the byte at offset. Offsets must not fall.
func (l *lineEnds) line(offset int64) int {
	i := 0
	for i < len(l.ahead) && l.ahead[i] < offset {
		i++
	}
	l.passed += i
	l.ahead = append(l.ahead[:0], l.ahead[i:]...)
	return l.passed + 1
}
