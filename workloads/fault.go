package workloads

import (
	"fmt"
	"strconv"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// fault is one broken rule of a file, a job, a machine or a workload.
type fault = faults.Fault

// faultAt is the fault of a field, given what is wrong with it and what is allowed there.
func faultAt(field, problem, allowed string) fault {
	return fault{Field: field, Problem: problem, Allowed: allowed}
}

// got is the problem of a field that has an unwanted value.
func got(value any) string {
	if text, ok := value.(string); ok {
		return "got " + faults.Quote(text)
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
	return []fault{faultAt(field, got(value), between(low, high))}
}
