package program

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// jsonFormat is the value of the field format, with the version of the layout.
const jsonFormat = "slurmlab-program-1"

type jsonHead struct {
	Format string `json:"format"`
	Name   string `json:"name"`
	Sense  string `json:"sense"`
}

// jsonVariable is a variable in JSON, where a bound of null is none.
type jsonVariable struct {
	Name      string   `json:"name"`
	Lower     *float64 `json:"lower"`
	Upper     *float64 `json:"upper"`
	Integer   bool     `json:"integer,omitempty"`
	Objective float64  `json:"objective,omitempty"`
}

type jsonRow struct {
	Name         string    `json:"name"`
	Variables    []int     `json:"variables"`
	Coefficients []float64 `json:"coefficients"`
	Sense        Sense     `json:"sense"`
	RHS          float64   `json:"rhs"`
}

// WriteJSON writes a valid program, with one variable or row a line:
//
//	{"format":"slurmlab-program-1","name":"cycle 1","sense":"maximise",
//	"variables":[
//	{"name":"b_1_0","lower":0,"upper":1,"integer":true,"objective":1.5}
//	],
//	"rows":[
//	{"name":"(3)_n1","variables":[0],"coefficients":[4],"sense":"<=","rhs":8}
//	]}
//
// Variables of a row are indices, counted from 0. A bound of null is none.
func WriteJSON(w io.Writer, p Program) error {
	out := bufio.NewWriter(w)
	head, err := json.Marshal(jsonHead{jsonFormat, p.Name, senseWord(p.Maximise)})
	if err != nil {
		return fmt.Errorf("write program: %w", err)
	}
	_, _ = out.Write(bytes.TrimSuffix(head, []byte("}")))
	err = errors.Join(
		writeList(out, "variables", len(p.Variables), func(i int) any {
			v := p.Variables[i]
			return jsonVariable{v.Name, bound(v.Lower), bound(v.Upper), v.Integer, v.Objective}
		}),
		writeList(out, "rows", len(p.Rows), func(i int) any {
			r := p.Rows[i]
			return jsonRow{r.Name, nonNil(r.Variables), nonNil(r.Coefficients), r.Sense, r.RHS}
		}),
	)
	_, _ = out.WriteString("}\n")
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("write program: %w", err)
	}
	return nil
}

func senseWord(maximise bool) string {
	if maximise {
		return "maximise"
	}
	return "minimise"
}

func bound(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func writeList(out *bufio.Writer, field string, n int, item func(i int) any) error {
	_, _ = fmt.Fprintf(out, ",\n%q:[", field)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for i := range n {
		text.Reset()
		if err := encoder.Encode(item(i)); err != nil {
			return err
		}
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_ = out.WriteByte('\n')
		_, _ = out.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	}
	_, err := out.WriteString("\n]")
	return err
}
