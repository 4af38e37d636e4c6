package slurmctl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrSessionBroken means that a Session has no scontrol: it died, or a command
// was abandoned. Open one again with Reopen.
var ErrSessionBroken = errors.New("scontrol session is broken")

// Limits of scontrol's interactive mode (src/scontrol/scontrol.c).
const (
	// maxLine is the longest line that scontrol reads as one when it was built
	// without readline; it would take the rest for another command.
	maxLine = 4094
	// maxWords is MAX_INPUT_FIELDS less the one that it cannot use.
	maxWords = 127
)

// Session is one long-lived interactive scontrol, which saves starting a
// process for each command. It is safe for concurrent use; commands run one
// after the other.
//
// Interactive scontrol says nothing on success. Each command is therefore followed by a fence, a keyword that does
// not exist. scontrol's complaint about the fence ends the command's messages, and what stands before it on standard
// error is Slurm's refusal. Standard output is not used, because scontrol buffers it.
type Session struct {
	// Long runs the commands that are too long for the session, each in a process of its own.
	Long    Runner
	exec    *Exec
	timeout time.Duration
	// turn holds one token, taken by the command that is running. Unlike a
	// mutex it can be given up when the context ends.
	turn  chan struct{}
	proc  *process
	fence int
}

// OpenSession starts an interactive scontrol with the given environment and
// waits until it answers. A command that takes longer than timeout breaks the
// session; scontrol itself gives up on slurmctld only after 9 to 18 seconds.
func OpenSession(ctx context.Context, exec *Exec, timeout time.Duration) (*Session, error) {
	s := &Session{Long: exec, exec: exec, timeout: timeout, turn: make(chan struct{}, 1)}
	if err := s.Reopen(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Reopen ends the present scontrol, if any, and starts another.
func (s *Session) Reopen(ctx context.Context) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	s.drop()
	if err := s.open(ctx); err != nil {
		return fmt.Errorf("open scontrol session: %w", err)
	}
	return nil
}

// open starts scontrol and waits until it answers.
func (s *Session) open(ctx context.Context) error {
	settings, err := inputrc()
	if err != nil {
		return err
	}
	// scontrol has a descriptor of its own.
	defer func() { _ = settings.Close() }()
	if s.proc, err = startProcess(s.exec, settings); err != nil {
		return err
	}
	// The fence alone: warnings that scontrol prints when it starts must not
	// be taken for the refusal of the first command.
	_, err = s.exchange(ctx, "")
	return err
}

// Close ends scontrol. A closed session can be opened again.
func (s *Session) Close() error {
	s.turn <- struct{}{}
	defer s.unlock()
	s.drop()
	return nil
}

// Do runs one scontrol command, such as those of UpdateCommands. It returns
// nil when Slurm carried it out, a *RefusedError when Slurm refused it, and an
// error that wraps ErrUnavailable when slurmctld did not answer scontrol.
//
// When ctx ends, the timeout passes or scontrol dies in the middle of the command, it is unknown whether Slurm
// carried it out. The error then wraps ErrSessionBroken and the cause, and so do all calls until Reopen.
func (s *Session) Do(ctx context.Context, command string) error {
	words, err := commandWords(command)
	if err != nil {
		return err
	}
	if len(command) > maxLine || len(words) > maxWords {
		// Long node lists go through a process of their own.
		c := Client{Runner: s.Long}
		return c.Do(ctx, command)
	}
	return s.do(ctx, command)
}

// Update has the meaning of Client.Update. A word may have spaces, as a Reason has: scontrol takes the quotes off
// that one (scontrol_update_node in src/scontrol/update_node.c), and off no other.
func (s *Session) Update(ctx context.Context, words ...string) error {
	command := "update"
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case !strings.Contains(word, " "):
			command += " " + word
		case key == "Reason":
			command += " Reason=\"" + value + "\""
		default:
			return commandFault(command+" "+word, "spaces are allowed in a Reason only")
		}
		if err := checkCharacters(word); err != nil {
			return err
		}
	}
	if len(command) > maxLine || len(words) >= maxWords {
		c := Client{Runner: s.Long}
		return c.Update(ctx, words...)
	}
	return s.do(ctx, command)
}

// do sends a command that scontrol reads as it is meant.
func (s *Session) do(ctx context.Context, command string) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if s.proc == nil {
		return fmt.Errorf("run %q: %w", shorten(command), ErrSessionBroken)
	}
	messages, err := s.exchange(ctx, command+"\n")
	if err != nil {
		return fmt.Errorf("run %q: %w", shorten(command), err)
	}
	if messages != "" {
		return Complaint(command, messages)
	}
	return nil
}

// exchange sends a line and a fence, and returns what stands before the fence
// on standard error. After an error the session is broken.
func (s *Session) exchange(ctx context.Context, line string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout,
		fmt.Errorf("no answer within %s: %w", s.timeout, context.DeadlineExceeded))
	defer cancel()
	if ctx.Err() != nil {
		// Nothing was sent, the session stays as it is.
		return "", context.Cause(ctx)
	}
	s.fence++
	fence := "fence-" + strconv.Itoa(s.fence)
	if err := s.proc.send(line + fence + "\n"); err != nil {
		return "", s.broken(err)
	}
	end := "invalid keyword: " + fence
	var messages []string
	for {
		select {
		case <-ctx.Done():
			return "", s.broken(context.Cause(ctx))
		case text, ok := <-s.proc.lines:
			if !ok {
				return "", s.broken(fmt.Errorf("scontrol ended: %s", s.proc.end(messages)))
			}
			// Some messages of scontrol lack their line feed.
			text = strings.TrimSpace(text)
			before, fenced := strings.CutSuffix(text, end)
			if before != "" {
				messages = append(messages, before)
			}
			if fenced {
				return strings.Join(messages, "\n"), nil
			}
		}
	}
}

func (s *Session) broken(cause error) error {
	s.drop()
	return fmt.Errorf("%w: %w", ErrSessionBroken, cause)
}

func (s *Session) drop() {
	if s.proc != nil {
		s.proc.kill()
		s.proc = nil
	}
}

func (s *Session) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for scontrol session: %w", context.Cause(ctx))
	}
}

func (s *Session) unlock() { <-s.turn }

// sessionKeywords are the commands that Do accepts, those without output.
var sessionKeywords = []string{"hold", "release", "requeue", "resume", "suspend", "update"}

// commandWords splits a command as scontrol does and refuses what would mean something else to it or to readline.
// These are quotes, control characters such as a tabulator, and other keywords. Some keywords end the session even
// when abbreviated to one letter.
func commandWords(command string) ([]string, error) {
	if err := checkCharacters(command); err != nil {
		return nil, err
	}
	words := strings.Fields(command)
	if len(words) < 2 || !slices.Contains(sessionKeywords, words[0]) {
		return nil, commandFault(command, "want "+strings.Join(sessionKeywords, ", ")+" and its arguments")
	}
	return words, nil
}

func checkCharacters(command string) error {
	for i := 0; i < len(command); i++ {
		if c := command[i]; c < ' ' || c > '~' || c == '"' || c == '\'' || c == '\\' {
			return commandFault(command, fmt.Sprintf("character %q is not allowed", c))
		}
	}
	return nil
}

func commandFault(command, why string) error {
	return fmt.Errorf("scontrol command %q: %s", shorten(command), why)
}
