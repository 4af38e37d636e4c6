package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes an array with an object for each row, its keys the columns of CSV in
// their order. A number has all its digits, an unknown one is null.
func (t Table) WriteJSON(w io.Writer) error {
	literal := map[string]bool{}
	for _, c := range t.columns {
		for _, name := range c.Names {
			literal[name] = c.Literal
		}
	}
	names := t.names()
	indices := t.indices(names)
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range t.frame.Rows() {
		b.WriteString(separator(i) + "{")
		for c, name := range names {
			key, err := json.Marshal(name)
			if err != nil {
				return fmt.Errorf("write table: %w", err)
			}
			b.WriteString(separator(c))
			b.Write(key)
			b.WriteByte(':')
			value, err := Row{frame: t.frame, Index: i}.json(indices[c], literal[name])
			if err != nil {
				return fmt.Errorf("write table: column %s: %w", name, err)
			}
			b.Write(value)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	pretty.WriteByte('\n')
	if _, err := pretty.WriteTo(w); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
