package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// readJSON reads what WriteJSON writes, in any layout of lines. A fault is
// reported with the line on which the faulty variable, row or field starts.
func readJSON(name string, text []byte) (Program, error) {
	r := &jsonReader{file: name, text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.DisallowUnknownFields()
	if err := r.object(); err != nil {
		return Program{}, err
	}
	if r.head.Format != jsonFormat {
		return Program{}, fault(name, 1, fmt.Errorf("field format: %.80q is not allowed, want %q", r.head.Format, jsonFormat))
	}
	return r.program, nil
}

// fault is an error at a line of a file.
func fault(file string, line int, err error) error {
	return fmt.Errorf("%s:%d: %w", file, line, err)
}

type jsonReader struct {
	file    string
	text    []byte
	decoder *json.Decoder
	head    jsonHead
	program Program
	// rowLines are where the rows start: they are checked when the number of
	// variables is known.
	rowLines []int
	// lines is the number of line ends before offset counted.
	lines, counted int
}

// line returns the number of the line on which the next token starts.
func (r *jsonReader) line() int {
	at := int(r.decoder.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	r.lines += bytes.Count(r.text[r.counted:at], []byte("\n"))
	r.counted = at
	return r.lines + 1
}

// expect reads one delimiter, which must be want; what is the thing that it opens or
// ends.
func (r *jsonReader) expect(want json.Delim, what string) error {
	line := r.line()
	token, err := r.decoder.Token()
	if err != nil {
		return fault(r.file, line, broken(err))
	}
	if token != want {
		return fault(r.file, line, fmt.Errorf("%s: %v is not allowed, want %q", what, token, want.String()))
	}
	return nil
}

// broken says what is wrong with a text that ends too early.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the text ends in the middle of the program")
	}
	return err
}

func (r *jsonReader) object() error {
	if err := r.expect('{', "program"); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for r.decoder.More() {
		line := r.line()
		token, err := r.decoder.Token()
		if err != nil {
			return fault(r.file, line, broken(err))
		}
		field, _ := token.(string)
		if seen[field] {
			return fault(r.file, line, fmt.Errorf("field %s: it is there twice", field))
		}
		seen[field] = true
		if err := r.field(field, line); err != nil {
			return err
		}
	}
	if err := r.expect('}', "program"); err != nil {
		return err
	}
	line := r.line()
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return fault(r.file, line, errors.New("there is more after the end of the program"))
	}
	for _, field := range []string{"format", "sense", "variables", "rows"} {
		if !seen[field] {
			return fault(r.file, line, fmt.Errorf("field %s: it is missing", field))
		}
	}
	return r.checkRows()
}

func (r *jsonReader) field(field string, line int) error {
	var err error
	switch field {
	case "variables":
		return r.variables()
	case "rows":
		return r.rows()
	case "format":
		err = r.decoder.Decode(&r.head.Format)
	case "name":
		if err = r.decoder.Decode(&r.program.Name); err == nil && r.program.Name != "" {
			err = checkName(r.program.Name)
		}
	case "sense":
		err = r.decoder.Decode(&r.head.Sense)
		r.program.Maximise = r.head.Sense == senseWord(true)
		if err == nil && !r.program.Maximise && r.head.Sense != senseWord(false) {
			err = fmt.Errorf("%.80q is not allowed, want maximise or minimise", r.head.Sense)
		}
	default:
		err = errors.New("it is unknown, want format, name, sense, variables or rows")
	}
	if err != nil {
		return fault(r.file, line, fmt.Errorf("field %s: %w", field, broken(err)))
	}
	return nil
}

func (r *jsonReader) variables() error {
	seen := make(map[string]bool)
	return r.list("variables", func(int) error {
		var v jsonVariable
		if err := r.decoder.Decode(&v); err != nil {
			return err
		}
		variable := Variable{v.Name, math.Inf(-1), math.Inf(1), v.Integer, v.Objective}
		if v.Lower != nil {
			variable.Lower = *v.Lower
		}
		if v.Upper != nil {
			variable.Upper = *v.Upper
		}
		r.program.Variables = append(r.program.Variables, variable)
		return variable.check(seen)
	})
}

// list reads the items of an array.
func (r *jsonReader) list(field string, item func(line int) error) error {
	if err := r.expect('[', "field "+field); err != nil {
		return err
	}
	for i := 0; r.decoder.More(); i++ {
		line := r.line()
		if err := item(line); err != nil {
			return fault(r.file, line, fmt.Errorf("%s[%d]: %w", field, i, broken(err)))
		}
	}
	return r.expect(']', "field "+field)
}

func (r *jsonReader) rows() error {
	return r.list("rows", func(line int) error {
		var row jsonRow
		if err := r.decoder.Decode(&row); err != nil {
			return err
		}
		r.program.Rows = append(r.program.Rows, Row(row))
		r.rowLines = append(r.rowLines, line)
		return nil
	})
}

// checkRows checks the constraints once all variables are known.
func (r *jsonReader) checkRows() error {
	seen := make(map[string]bool)
	for i, row := range r.program.Rows {
		if err := row.check(len(r.program.Variables), seen); err != nil {
			return fault(r.file, r.rowLines[i], fmt.Errorf("rows[%d]: %w", i, err))
		}
	}
	return nil
}
