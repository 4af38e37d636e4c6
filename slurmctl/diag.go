package slurmctl

import (
	"strings"
	"time"
)

// DiagSummary is the part of sdiag that tells whether a drained cluster has
// written everything down.
type DiagSummary struct {
	// DBDQueueSize counts the records that slurmctld has not yet sent to
	// slurmdbd. Accounting is complete only when it is 0.
	DBDQueueSize int
	// JobsPending and JobsRunning are counts of slurmctld as of JobStatesAt:
	// they are refreshed only now and then, ask Queue for the present.
	JobsPending, JobsRunning int
	JobStatesAt              time.Time
}

// ParseDiag reads the output of sdiag. The error is a *ParseError.
func ParseDiag(out []byte) (DiagSummary, error) {
	var d DiagSummary
	found := 0
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		text = strings.TrimRight(text, "\n")
		name, value, _ := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		var target *int
		switch name {
		case "DBD Agent queue size":
			target = &d.DBDQueueSize
		case "Jobs pending":
			target = &d.JobsPending
		case "Jobs running":
			target = &d.JobsRunning
		case "Job states ts":
			// "Sat Nov 21 09:16:11 2026 (1795252571)"
			_, seconds, _ := strings.Cut(strings.TrimSuffix(value, ")"), "(")
			n, ok := atoi(seconds)
			if !ok {
				return DiagSummary{}, &ParseError{Source: "sdiag", Line: line, Field: name, Text: value, Want: "a date and (seconds)"}
			}
			d.JobStatesAt = time.Unix(int64(n), 0).UTC()
			found++
			continue
		default:
			continue
		}
		n, ok := atoi(value)
		if !ok {
			return DiagSummary{}, &ParseError{Source: "sdiag", Line: line, Field: name, Text: value, Want: "a number"}
		}
		*target = n
		found++
	}
	if found != 4 {
		return DiagSummary{}, &ParseError{Source: "sdiag", Line: line, Text: "end of text",
			Want: "DBD Agent queue size, Job states ts, Jobs pending and Jobs running once each"}
	}
	return d, nil
}
