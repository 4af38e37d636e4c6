package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The parser's time grows with the square of what is nested: 57 s for 64 KiB of brackets.
const (
	// mostBytes bounds a document. A machine file has some 30 bytes for each user of a site; the parser takes at
	// most 2 s for so much, however it is nested within mostNested.
	mostBytes = 1 << 20
	// mostNested is how deep brackets, and the lists that begin on one line, may be nested.
	// Our own files have 3.
	mostNested = 32
)

// Parse returns the body of the text's only document, nil for an empty one, or the fault and
// its line, from 1.
func Parse(text []byte) (body ast.Node, line int, fault error) {
	if len(text) > mostBytes {
		return nil, 1, fmt.Errorf("document: got %d bytes, allowed up to %d", len(text), mostBytes)
	}
	if line := deepLine(text); line > 0 {
		return nil, line, fmt.Errorf("document: lists and mappings nested too deeply, allowed up to %d", mostNested)
	}
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		line, message := Position(err)
		return nil, line, fmt.Errorf("parse YAML: %s", message)
	}
	if len(parsed.Docs) != 1 {
		return nil, 1, fmt.Errorf("document: got %d documents, allowed one", len(parsed.Docs))
	}
	return parsed.Docs[0].Body, 1, nil
}

// ReadFile reads a file, and of a longer one than Parse takes no more than shows that.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	return text, errors.Join(err, f.Close())
}

// Position returns line and message of an error of package yaml, line 1 where it names none.
func Position(err error) (line int, message string) {
	var positioned yaml.Error
	if !errors.As(err, &positioned) {
		return 1, err.Error()
	}
	if token := positioned.GetToken(); token != nil && token.Position != nil {
		return token.Position.Line, positioned.GetMessage()
	}
	return 1, positioned.GetMessage()
}

// deepLine returns the number of the first line on which more is nested than mostNested,
// 0 for none. It takes brackets in texts and comments for real ones.
func deepLine(text []byte) int {
	brackets, number := 0, 0
	for line := range bytes.Lines(text) {
		number++
		marks := 0
		for rest := bytes.TrimLeft(line, " "); len(rest) > 1 && bytes.IndexByte([]byte("-?"), rest[0]) >= 0 && rest[1] == ' '; rest = bytes.TrimLeft(rest[1:], " ") {
			marks++
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				brackets++
			case ']', '}':
				brackets--
			}
			if max(brackets, marks) > mostNested {
				return number
			}
		}
	}
	return 0
}
