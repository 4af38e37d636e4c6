package sbatch

import (
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Value is where a job keeps what stands in a column of workload.csv. "", 0 and false ask for nothing.
type Value interface {
	// Asked says whether the job asks for it.
	Asked() bool
	// Append appends the text of a cell.
	Append(cell []byte) []byte
	// Set reads such a text. It returns what is allowed there when that is something else.
	Set(text string) (allowed string)
}

// Text is a Value that is a text, which the rule of its option checks.
type Text string

// Asked implements Value.
func (t *Text) Asked() bool { return *t != "" }

// Append implements Value.
func (t *Text) Append(cell []byte) []byte { return append(cell, *t...) }

// Set implements Value.
func (t *Text) Set(text string) (allowed string) {
	*t = Text(text)
	return ""
}

// Count is a Value that is a whole number from 0.
type Count int

// Asked implements Value.
func (n *Count) Asked() bool { return *n != 0 }

// Append implements Value.
func (n *Count) Append(cell []byte) []byte { return strconv.AppendInt(cell, int64(*n), 10) }

// Set implements Value.
func (n *Count) Set(text string) (allowed string) {
	value, ok := WholeNumber(text)
	*n = Count(value)
	if !ok {
		return wholeRule
	}
	return ""
}

const wholeRule = "a whole number"

// Signed is a Value that is a whole number, which may be negative.
type Signed int

// Asked implements Value.
func (n *Signed) Asked() bool { return *n != 0 }

// Append implements Value.
func (n *Signed) Append(cell []byte) []byte { return strconv.AppendInt(cell, int64(*n), 10) }

// Set implements Value.
func (n *Signed) Set(text string) (allowed string) {
	digits, negative := strings.CutPrefix(text, "-")
	value, ok := WholeNumber(digits)
	if negative {
		// There is one text for each number, so "-0" is none.
		ok = ok && value != 0
		value = -value
	}
	*n = Signed(value)
	if !ok {
		return wholeRule
	}
	return ""
}

// Flag is a Value that is 1, or 0 without it.
type Flag bool

// Asked implements Value.
func (f *Flag) Asked() bool { return bool(*f) }

// Append implements Value.
func (f *Flag) Append(cell []byte) []byte {
	if *f {
		return append(cell, '1')
	}
	return append(cell, '0')
}

// Set implements Value.
func (f *Flag) Set(text string) (allowed string) {
	*f = text == "1"
	if text != "0" && text != "1" {
		return "0 or 1"
	}
	return ""
}

// WholeNumber reads decimal digits only: no sign, no space, at most 9 digits,
// so that no product of two of a job's numbers overflows.
func WholeNumber(text string) (int, bool) {
	n, ok := values.Count(text)
	if !ok || len(text) > 9 {
		return 0, false
	}
	return n, true
}
