package slurmtest

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// Transcript is a Runner that plays recorded answers. A command recorded
// several times gives its answers in order and then repeats the last one. A
// command that was not recorded is an error. It is not safe for concurrent use.
type Transcript struct {
	answers map[string][]answer
}

type answer struct {
	stdout, stderr string
	exit           int
}

// unitSeparator is how the ASCII unit separator is written in a transcript.
const unitSeparator = "␟"

// ParseTranscript reads a transcript. A line "$ command", with single blanks
// between the words, begins an answer; the lines after it are its standard
// output. A line "$N command" with a number N begins the answer of a command
// that failed with exit status N; the lines after it are its standard error.
// The sign for the unit separator stands for the character itself.
func ParseTranscript(text []byte) (*Transcript, error) {
	t := &Transcript{answers: make(map[string][]answer)}
	var current *answer
	line := 0
	for l := range strings.Lines(strings.ReplaceAll(string(text), unitSeparator, "\x1f")) {
		line++
		head, command, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		if status, begins := strings.CutPrefix(head, "$"); begins {
			exit, err := strconv.Atoi(cmp.Or(status, "0"))
			if err != nil {
				return nil, fmt.Errorf("parse transcript: line %d: exit status %q: want a number", line, status)
			}
			t.answers[command] = append(t.answers[command], answer{exit: exit})
			current = &t.answers[command][len(t.answers[command])-1]
			continue
		}
		switch {
		case current == nil:
			return nil, fmt.Errorf("parse transcript: line %d: want a line \"$ command\" first", line)
		case current.exit == 0:
			current.stdout += l
		default:
			current.stderr += l
		}
	}
	if current == nil {
		return nil, fmt.Errorf("parse transcript: want at least one line \"$ command\"")
	}
	return t, nil
}

// Run implements slurmctl.Runner.
func (t *Transcript) Run(ctx context.Context, _ []byte, argv ...string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], context.Cause(ctx))
	}
	command := strings.Join(argv, " ")
	answers := t.answers[command]
	if len(answers) == 0 {
		return nil, fmt.Errorf("run %q: not in the transcript", command)
	}
	a := answers[0]
	if len(answers) > 1 {
		t.answers[command] = answers[1:]
	}
	if a.exit != 0 {
		return nil, &slurmctl.CommandError{Argv: argv, ExitCode: a.exit, Stderr: a.stderr}
	}
	return []byte(a.stdout), nil
}
