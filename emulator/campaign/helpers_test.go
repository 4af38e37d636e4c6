package campaign

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// recorded is the directory of a recorded run under a policy.
func recorded(policy string) string {
	return filepath.Join("../../cmd/slurmlab/internal/cli/testdata/runs", "S-V.2-"+policy+"-seed1")
}

// silent is a terminal that shows nothing, and keeps the warnings for whom wants them.
type silent struct{ warned *[]string }

func (s silent) Warn(text string) {
	if s.warned != nil {
		*s.warned = append(*s.warned, text)
	}
}
func (silent) Tell(string)                                             {}
func (silent) Say(string)                                              {}
func (silent) Note(string)                                             {}
func (silent) Waiting([]run.Holder)                                    {}
func (silent) Follow(int) func(progress.Update)                        { return func(progress.Update) {} }
func (silent) Made(int, int)                                           {}
func (silent) Ended(int, error)                                        {}
func (silent) Watcher(int) *run.Watcher                                { return nil }
func (silent) Close()                                                  {}
func (s silent) Show(context.Context, string, int, []run.Config) Board { return s }

// edit replaces the first from in a file.
func edit(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %s", file, from)
	}
	if err = os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q is not in\n%s", what, part, text)
		}
	}
}
