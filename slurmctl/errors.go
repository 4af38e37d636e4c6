package slurmctl

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnavailable means that slurmctld or slurmdbd did not answer. Whether it
// carried out the command is unknown: read the state again.
var ErrUnavailable = errors.New("slurm does not answer")

// RefusedError means that Slurm understood a command and refused it. For an
// external scheduler it is an outcome, not a fault.
type RefusedError struct {
	// Command is the command as given, without its input.
	Command string
	// Message is what Slurm wrote to standard error, on one line.
	Message string
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("slurm refused %q: %s", shorten(e.Command), e.Message)
}

// shorten keeps error messages readable: node lists may be long.
func shorten(s string) string {
	const most = 120
	if len(s) > most {
		return s[:most-3] + "..."
	}
	return s
}

// silences are the texts of src/common/slurm_errno.c and of the client
// commands for a daemon that cannot be reached or does not answer in time.
var silences = []string{
	"Unable to contact slurm",
	// What update, hold and release print when the connection fails.
	"Unexpected message received",
	"Unable to connect to database",
	"Socket timed out on send/recv operation",
	"Zero Bytes were transmitted or received",
	"Transport endpoint is not connected",
	"Connection refused",
	"Connection reset by peer",
	// The connection was closed while the client wrote: seen once in 2,384 jobs of a busy slurmctld.
	"Unexpected missing socket error",
	"Could not establish a configuration source",
	// slurmctld makes the tokens of auth/slurm for its clients; this is what they print
	// when it dies meanwhile.
	"failed to create token",
}

// Complaint turns what Slurm said of a failed command into an error: one that wraps
// ErrUnavailable, or a *RefusedError.
func Complaint(command, stderr string) error {
	msg := oneLine(stderr)
	for _, s := range silences {
		if strings.Contains(msg, s) {
			return fmt.Errorf("run %q: %w: %s", shorten(command), ErrUnavailable, msg)
		}
	}
	if msg == "" {
		return fmt.Errorf("run %q: failed without a message", shorten(command))
	}
	return &RefusedError{Command: command, Message: msg}
}

// ParseError is output of Slurm that this package does not understand.
type ParseError struct {
	// Source is the command that printed it, such as "squeue".
	Source string
	// Line counts from 1.
	Line int
	// Field is Slurm's name of the value, empty when the whole line is wrong.
	Field string
	// Text is the offending text, Want what is allowed there.
	Text, Want string
}

// Error implements error.
func (e *ParseError) Error() string {
	where := fmt.Sprintf("%s line %d", e.Source, e.Line)
	if e.Field != "" {
		where += ": " + e.Field
	}
	return fmt.Sprintf("parse %s: got %q, want %s", where, shorten(e.Text), e.Want)
}
