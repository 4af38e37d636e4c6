package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// shellProgram starts a program of the shell, which is ended with the test.
func shellProgram(t *testing.T, script string) *plugin.Process {
	t.Helper()
	p := plugin.NewProcess(plugin.Command{Argv: []string{"/bin/sh", "-c", script}, Dir: t.TempDir(), Env: os.Environ(), Stderr: io.Discard})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.End)
	return p
}

func askProcess(t *testing.T, p *plugin.Process, limit time.Duration) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	line, err := p.Ask(ctx, []byte("question\n"))
	return string(line), err
}

const longLimit = hosttest.Hang

func TestAsk(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"answers", `read q; echo "$q!"`, "question!\n"},
		{"dies", `read q; exit 3`, "it ended: exit status 3"},
		{"ends", `exit 0`, "it ended: exit status 0"},
		{"is killed", `kill -9 $$`, "it ended: signal: killed"},
		{"closes its output", `exec >&-; sleep 3600`, "it closed its standard output"},
		{"floods", `yes | tr -d '\n'`, "it wrote a line of more than 16 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, err := askProcess(t, shellProgram(t, tt.script), longLimit)
			if err != nil {
				line = err.Error()
			}
			if line != tt.want {
				t.Errorf("%q, want %q", line, tt.want)
			}
		})
	}
}

// A program that hangs is late, ends with End, and another one takes its place.
func TestHangs(t *testing.T) {
	p := shellProgram(t, "sleep 3600")
	pid := p.PID()
	if _, err := askProcess(t, p, 50*time.Millisecond); !errors.Is(err, plugin.ErrLate) {
		t.Errorf("%v", err)
	}
	if err := p.Start(); err != nil || p.PID() == pid {
		t.Errorf("%v, process %d after %d", err, p.PID(), pid)
	}
	waitFor(t, pid, "")
}

// Between two questions a program and its children compute nothing: they are stopped.
func TestRestsBetweenQuestions(t *testing.T) {
	p := shellProgram(t, `while :; do :; done & echo "$!"; read q; read q; echo again; wait`)
	line, err := askProcess(t, p, longLimit)
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err = fmt.Sscan(line, &child); err != nil {
		t.Fatal(err)
	}
	waitFor(t, p.PID(), "T")
	waitFor(t, child, "T")
	if line, err = askProcess(t, p, longLimit); err != nil || line != "again\n" {
		t.Errorf("%q, %v", line, err)
	}
	p.End()
	waitFor(t, child, "")
}

// What a program of a user of its own has started rests and ends with it, also in a session of its own, without a living
// parent, and as the program has ended by itself. A new one finds nothing of the one before.
func TestUserRestsAndEnds(t *testing.T) {
	hosttest.Root(t, "starts programs of other users")
	// Nobody else's: all processes of the user are signalled.
	user := uint32(1_000_000 + os.Getpid())
	command := plugin.Command{Dir: "/", Env: os.Environ(), Stderr: io.Discard, User: &syscall.Credential{Uid: user, Gid: user}}
	const escape = `(setsid sh -c 'echo $$; exec >&-; while :; do :; done' &); `
	for name, then := range map[string]string{"lives": "read q; read q; echo again; sleep 3600", "ends": "read q; exit 0"} {
		t.Run(name, func(t *testing.T) {
			command.Argv = []string{"/bin/sh", "-c", escape + then}
			p := plugin.NewProcess(command)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.End)
			line, err := askProcess(t, p, longLimit)
			if err != nil {
				t.Fatal(err)
			}
			var child int
			if _, err = fmt.Sscan(line, &child); err != nil {
				t.Fatal(err)
			}
			waitFor(t, child, "T")
			line, err = askProcess(t, p, longLimit)
			if lives := name == "lives"; lives != (line == "again\n") || lives != (err == nil) {
				t.Errorf("%q, %v", line, err)
			}
			if name == "lives" {
				waitFor(t, child, "T")
			}
			other := plugin.NewProcess(command)
			if err = other.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(other.End)
			waitFor(t, child, "")
			if line, err = askProcess(t, other, longLimit); err != nil {
				t.Fatal(err)
			}
			if _, err = fmt.Sscan(line, &child); err != nil {
				t.Fatal(err)
			}
			other.End()
			waitFor(t, child, "")
		})
	}
}

// waitFor waits until a process has a state of proc(5), "" for none or a dead one.
func waitFor(t *testing.T, pid int, want string) {
	t.Helper()
	hosttest.Until(t, fmt.Sprintf("process %d is in state %q", pid, want), func() bool {
		state := ""
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, rest, found := strings.Cut(string(text), ") "); err == nil && found {
			state = rest[:1]
		}
		return state == want || want == "" && state == "Z"
	})
}

// A program with patience ends by itself after its input has, though it was stopped; one that
// does not is ended.
func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		patience     time.Duration
		want         string
	}{
		{"ends", `read q; echo a; read q; echo bye >end`, longLimit, "bye\n"},
		{"stays", `read q; echo a; read q; sleep 3600; echo bye >end`, 50 * time.Millisecond, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			p := plugin.NewProcess(plugin.Command{
				Argv: []string{"/bin/sh", "-c", tt.script}, Dir: dir, Env: os.Environ(), Stderr: io.Discard, Patience: tt.patience,
			})
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			pid := p.PID()
			if _, err := askProcess(t, p, longLimit); err != nil {
				t.Fatal(err)
			}
			waitFor(t, pid, "T")
			p.End()
			waitFor(t, pid, "")
			if end, _ := os.ReadFile(filepath.Join(dir, "end")); string(end) != tt.want {
				t.Errorf("%q, want %q", end, tt.want)
			}
		})
	}
}

// Of what a program says the head is kept, and what comes later is no error.
func TestHead(t *testing.T) {
	var kept strings.Builder
	w := plugin.HeadOf(&kept, 5)
	for _, text := range []string{"abc", "def", "ghi"} {
		if n, err := w.Write([]byte(text)); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if kept.String() != "abcde" {
		t.Errorf("%q", kept.String())
	}
}

func TestNotThere(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/not/there -u\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		"/not/there": "/not/there: no such file or directory",
		script:       `begins with "#!/not/there -u", and there is no /not/there here`,
	} {
		if err := plugin.NewProcess(plugin.Command{Argv: []string{program}}).Start(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
