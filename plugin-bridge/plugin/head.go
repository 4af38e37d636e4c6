package plugin

import (
	"fmt"
	"io"
)

// MostWords is how much of a program's standard error is kept, in bytes.
const MostWords = 1 << 20

// HeadOf returns a writer that hands the first bytes to w, at most so many, and drops the others.
func HeadOf(w io.Writer, most int) io.Writer { return &head{w, most} }

type head struct {
	to   io.Writer
	left int
}

func (h *head) Write(text []byte) (int, error) {
	kept := text[:min(len(text), h.left)]
	h.left -= len(kept)
	if _, err := h.to.Write(kept); err != nil {
		return 0, fmt.Errorf("log of the program: %w", err)
	}
	return len(text), nil
}
