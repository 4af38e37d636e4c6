package scripts

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// SubmissionSuffix ends the name of the file with a script's Submission; before it is
// the name of the file with the script.
const SubmissionSuffix = ".submission"

// Submission is what Slurm does not keep of an external job.
type Submission struct {
	// Append is --open-mode=append.
	Append bool
	// Warn is --signal.
	Warn Warn
	// Arguments of the script.
	Arguments []string
	// Variables are the environment, NAME=VALUE.
	Variables []string
}

// Warn is a signal before the job's end.
type Warn struct {
	// Signal is 0 for none.
	Signal syscall.Signal
	Before time.Duration
	// Script sends it to the script alone (--signal=B:). Otherwise it is for the job's
	// steps, of which there are none.
	Script bool
}

// batchOnly is KILL_JOB_BATCH of slurm.h.
const batchOnly = 1

// ParseSubmission reads what job_submit.lua wrote: strings KEY=VALUE, each with a zero
// byte at its end.
func ParseSubmission(text string) (Submission, error) {
	var s Submission
	for entry := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		key, value, found := strings.Cut(entry, "=")
		if !found {
			return s, fmt.Errorf("submission: %q has no =", entry)
		}
		switch key {
		case "open_mode":
			s.Append = value == "a"
		case "signal":
			var err error
			if s.Warn, err = parseWarn(value); err != nil {
				return s, err
			}
		case "argument":
			s.Arguments = append(s.Arguments, value)
		case "variable":
			s.Variables = append(s.Variables, value)
		default:
			return s, fmt.Errorf("submission: %q is not known", key)
		}
	}
	return s, nil
}

// parseWarn reads "NUMBER SECONDS FLAGS".
func parseWarn(text string) (Warn, error) {
	if text == "" {
		return Warn{}, nil
	}
	var number, seconds, flags int
	if n, err := fmt.Sscanf(text, "%d %d %d", &number, &seconds, &flags); n != 3 {
		return Warn{}, errors.Join(fmt.Errorf("submission: signal %q is not understood", text), err)
	}
	return Warn{Signal: syscall.Signal(number), Before: time.Duration(seconds) * time.Second, Script: flags&batchOnly != 0}, nil
}
