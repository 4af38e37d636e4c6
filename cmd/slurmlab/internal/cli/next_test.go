package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/table"
)

// nextCommands are the words of the commands that a conclusion says to type next, as a
// shell takes them.
func nextCommands(t *testing.T, printed string) [][]string {
	t.Helper()
	var commands [][]string
	joined := strings.ReplaceAll(printed, " \\\n", " ")
	for line := range strings.SplitSeq(joined, "\n") {
		if !strings.HasPrefix(line, "  slurmlab ") {
			continue
		}
		words, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+line).Output()
		if err != nil {
			t.Fatal(err)
		}
		commands = append(commands, strings.Split(strings.TrimSuffix(string(words), "\n"), "\n"))
	}
	return commands
}

// typed is the exit code of a command, and what it prints.
func typed(words []string) (code int, printed string) {
	var out bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	code = Main(&State{Context: ctx, Stop: stop, Stdout: &out, Stderr: &out}, words[1:])
	return code, out.String()
}

// What run and compare say to type next works as it is printed, in a directory whose
// name a shell would take apart too.
func TestNextCommandsWork(t *testing.T) {
	for _, test := range []struct {
		name     string
		conclude func(t *testing.T, s *State, dir string) error
		want     []string
	}{
		{"run under backfill", func(t *testing.T, s *State, dir string) error {
			return concludeRun(s, form{table.Form{Format: table.TextFormat}}, recordedRun(t, dir, "backfill", "1"))
		}, []string{"report", "explain"}},
		// Nothing was recorded that explain could play again.
		{"run under auction", func(t *testing.T, s *State, dir string) error {
			return concludeRun(s, form{table.Form{Format: table.TextFormat}}, recordedRun(t, dir, "auction", "1"))
		}, []string{"report"}},
		{"comparison", func(t *testing.T, s *State, dir string) error {
			return conclude(s, form{table.Form{Format: table.TextFormat}}, "", dir, loaded(t, recordedRun(t, dir, "backfill", "1"), recordedRun(t, dir, "auction", "1")))
		}, []string{"explain"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "Müller's runs")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			if err := test.conclude(t, &State{Stdout: &stdout, Stderr: &stderr}, dir); err != nil {
				t.Fatal(err)
			}
			contains(t, "standard output", stdout.String(), "\nResults: ")
			commands := nextCommands(t, stdout.String())
			if len(commands) != len(test.want) {
				t.Fatalf("got commands %q, want %q in\n%s", commands, test.want, stdout.String())
			}
			for i, words := range commands {
				if code, printed := typed(words); words[1] != test.want[i] || code != exitGood || printed == "" {
					t.Errorf("%q: exit code %d, printed\n%s", words, code, printed)
				}
			}
		})
	}
}

// Where the table is for another program, standard error says where the results are.
func TestConclusionLeavesDataAlone(t *testing.T) {
	dir := recordedRun(t, t.TempDir(), "backfill", "1")
	var stdout, stderr bytes.Buffer
	if err := concludeRun(&State{Stdout: &stdout, Stderr: &stderr}, form{table.Form{Format: table.JSONFormat}}, dir); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stdout.String(), "[\n") || !strings.HasSuffix(stdout.String(), "\n]\n") {
		t.Errorf("standard output is no JSON:\n%s", stdout.String())
	}
	contains(t, "standard error", stderr.String(), "Results: ", "Next, ")
}

// A command is broken between words, so that no line is longer than the screen, and a
// shell takes it for the same.
func TestCommandText(t *testing.T) {
	words := []string{"slurmlab", "explain", "runs/S-V.2-auction-seed1", "--job", "7", "a b", "it's"}
	for _, width := range []int{30, 40, 80} {
		command := text.Command(words, width)
		for line := range strings.SplitSeq(command, "\n") {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("longer than %d: %q", width, line)
			}
		}
		if got := nextCommands(t, command); len(got) != 1 || strings.Join(got[0], "|") != strings.Join(words, "|") {
			t.Errorf("width %d: got %q from\n%s", width, got, command)
		}
	}
}
