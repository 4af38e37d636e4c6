package workloads

import (
	"fmt"
	"strconv"
)

// fault is one broken rule: the field, what is wrong with it and what is
// allowed there.
type fault struct {
	field   string
	problem string
	allowed string
}

// Error implements error.
func (f fault) Error() string {
	return f.field + ": " + f.problem + ", allowed " + f.allowed
}

// got is the problem of a field that has an unwanted value.
func got(value any) string {
	if text, ok := value.(string); ok {
		return "got " + Quote(text)
	}
	return fmt.Sprintf("got %v", value)
}

// between is the text of a range of whole numbers, both ends allowed.
func between(low, high int) string {
	return strconv.Itoa(low) + ".." + strconv.Itoa(high)
}

// outside returns a fault when value is not in low..high.
func outside(field string, value, low, high int) []fault {
	if value >= low && value <= high {
		return nil
	}
	return []fault{{field: field, problem: got(value), allowed: between(low, high)}}
}

// Quote shows user input safely: control characters escaped, long text cut.
func Quote(text string) string {
	const longest = 40
	letters := []rune(text)
	if len(letters) <= longest {
		return strconv.Quote(text)
	}
	return strconv.Quote(string(letters[:longest])) + "..."
}
