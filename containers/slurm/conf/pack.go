package conf

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// packed begins a text that is not JSON.
	packed = "gzip:"
	// longestPlain bounds a text that people can read.
	longestPlain = 16 << 10
	// longestText bounds a variable of an environment with its name: Linux takes no string of more than 128 KiB
	// (MAX_ARG_STRLEN, execve(2)).
	longestText = 127 << 10
)

// Text is the spec as a text that a variable of an environment can hold: JSON, or where that is long, as with
// thousands of users, the same packed.
func (s Spec) Text() (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode cluster: %w", err)
	}
	if len(data) <= longestPlain {
		return string(data), nil
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		return "", fmt.Errorf("encode cluster: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("encode cluster: %w", err)
	}
	text := packed + base64.StdEncoding.EncodeToString(b.Bytes())
	if len(text) > longestText {
		return "", fmt.Errorf("machine: its description takes %d bytes packed, allowed up to %d", len(text), longestText)
	}
	return text, nil
}

// ParseText is the spec of a Text.
func ParseText(text string) (Spec, error) {
	var s Spec
	data := []byte(text)
	if rest, ok := strings.CutPrefix(text, packed); ok {
		r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(rest)))
		if err != nil {
			return s, err
		}
		if data, err = io.ReadAll(r); err != nil {
			return s, errors.Join(err, r.Close())
		}
	}
	return s, json.Unmarshal(data, &s)
}
