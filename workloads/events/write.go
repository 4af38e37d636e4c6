package events

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Write writes what Read reads, with all columns.
func Write(w io.Writer, list []Event) error {
	out := csv.NewWriter(w)
	// The writer keeps its first error for the end.
	_ = out.Write(Columns())
	for _, e := range list {
		_ = out.Write([]string{strconv.Itoa(e.At), string(e.Kind), e.Nodes, e.Reason, e.Setting})
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

// Sum is how many events a run has and the SHA-256 of what Write makes of them. Another order of equal times is
// another sum, another form of the file is not.
type Sum struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"`
}

// NameOf is what a list of events is called: its file without folder and ending.
func NameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

// SumOf is the sum of events, nil for none.
func SumOf(list []Event) *Sum {
	if len(list) == 0 {
		return nil
	}
	var text bytes.Buffer
	// A buffer takes everything.
	_ = Write(&text, list)
	sum := sha256.Sum256(text.Bytes())
	return &Sum{len(list), hex.EncodeToString(sum[:])}
}
