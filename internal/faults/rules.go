package faults

import (
	"fmt"
	"strconv"
)

// At is the fault of a field, given what is wrong with it and what is allowed there.
func At(field, problem, allowed string) Fault {
	return Fault{Field: field, Problem: problem, Allowed: allowed}
}

// Got is the problem of a field that has an unwanted value.
func Got(value any) string {
	if text, ok := value.(string); ok {
		return "got " + Quote(text)
	}
	return fmt.Sprintf("got %v", value)
}

// Between is the text of a range of whole numbers, both ends allowed.
func Between(low, high int) string {
	return strconv.Itoa(low) + ".." + strconv.Itoa(high)
}

// Outside returns a fault when value is not in low..high.
func Outside(field string, value, low, high int) []Fault {
	if value >= low && value <= high {
		return nil
	}
	return []Fault{At(field, Got(value), Between(low, high))}
}
