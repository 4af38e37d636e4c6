package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// far starts a program of the shell at the other end of a connection.
func far(t *testing.T, script string) *plugin.Distant {
	t.Helper()
	p := plugin.NewProcess(plugin.Command{Argv: []string{"/bin/sh", "-c", script}, Dir: t.TempDir(), Env: os.Environ(), Stderr: io.Discard})
	near := plugin.NewDistant()
	server := plugin.NewServer(p, func(r plugin.Reply) {
		line, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		// In pieces, as a connection may deliver it.
		for _, piece := range []string{string(line[:len(line)/2]), string(line[len(line)/2:]) + "\n"} {
			if _, err = near.Write([]byte(piece)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Cleanup(server.Close)
	near.Send = func(c plugin.Call) error {
		server.Do(c)
		return nil
	}
	return near
}

func askDistant(t *testing.T, p plugin.Program, limit time.Duration) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	line, err := p.Ask(ctx, []byte("question\n"))
	return string(line), err
}

// A program that is far away answers, and fails, as one that is near.
func TestDistantAsk(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"answers", `read q; echo "$q!"`, "question!\n"},
		{"dies", `read q; exit 3`, "it ended: exit status 3"},
		{"floods", `yes | tr -d '\n'`, plugin.ErrUnreadable.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := far(t, tt.script)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := askDistant(t, p, hosttest.Hang)
			if err != nil {
				line = err.Error()
			}
			if line != tt.want {
				t.Errorf("%q, want %q", line, tt.want)
			}
			if errors.Is(err, plugin.ErrUnreadable) != (tt.name == "floods") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A program that hangs is late, and another one takes its place. What the first one would
// have answered belongs to no question any more.
func TestLate(t *testing.T) {
	p := far(t, `read q; case $q in question) exec sleep 3600;; esac; echo "$q"`)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := askDistant(t, p, 50*time.Millisecond); !errors.Is(err, plugin.ErrLate) {
		t.Fatalf("%v", err)
	}
	p.End()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := p.Ask(t.Context(), []byte("again\n"))
	if err != nil || string(line) != "again\n" {
		t.Errorf("%q, %v", line, err)
	}
}

func TestDistantNotThere(t *testing.T) {
	near := plugin.NewDistant()
	server := plugin.NewServer(plugin.NewProcess(plugin.Command{Argv: []string{"/not/there"}}), func(r plugin.Reply) {
		line, _ := json.Marshal(r)
		_, _ = near.Write(append(line, '\n'))
	})
	defer server.Close()
	near.Send = func(c plugin.Call) error {
		server.Do(c)
		return nil
	}
	if err := near.Start(); err == nil || !strings.Contains(err.Error(), "/not/there: no such file or directory") {
		t.Errorf("%v", err)
	}
}

// A connection that brings anything else than replies is closed.
func TestGarbage(t *testing.T) {
	if _, err := plugin.NewDistant().Write([]byte("hello\n")); err == nil || !strings.Contains(err.Error(), `read reply "hello"`) {
		t.Errorf("%v", err)
	}
}
