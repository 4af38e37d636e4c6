package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// testdata/follow has what "go test -json" and a shell printed of a package with a test of each kind, of one that
// panics and of one that does not compile. It has what follow reports on them.
func TestFollow(t *testing.T) {
	datadriven.RunTest(t, filepath.Join("testdata", "follow"), func(t *testing.T, d *datadriven.TestData) string {
		var said, log, events bytes.Buffer
		cut := false
		f := newFollower(func() bool { return cut }, func(format string, args ...any) { fmt.Fprintf(&said, format+"\n", args...) }, &log, &events)
		before, after, found := strings.Cut(d.Input, "interrupt\n")
		err := f.follow(strings.NewReader(before))
		cut = found
		if err = errors.Join(err, f.follow(strings.NewReader(after))); err != nil {
			t.Fatal(err)
		}
		f.end()
		came := failed
		if cut {
			came = interrupted
		}
		said.WriteString(report([]result{
			{step: step{name: "tests", target: []string{"test-host"}, tests: true}, state: came, tests: f.tally},
			{step: step{name: "image", target: []string{"image", "SLURM=26.05"}}, state: failed, tests: tally{other: []string{"no space\n"}}},
			{step: step{name: "cluster", target: []string{"test-cluster"}, tests: true}, state: notRun, missing: "image"},
		}, logs))
		if !strings.Contains(log.String(), "--- FAIL: ") || strings.Contains(log.String(), `{"Action"`) {
			t.Errorf("the log is not what go test would have printed:\n%s", log.String())
		}
		if got, want := strings.Count(events.String(), "\n"), strings.Count(d.Input, `"Action"`); got != want {
			t.Errorf("%d events were kept, want %d", got, want)
		}
		return said.String()
	})
}

func TestLastLines(t *testing.T) {
	var lines []string
	for i := range 2 * lastLines {
		lines = last(lines, fmt.Sprint(i))
	}
	if len(lines) != lastLines || lines[0] != fmt.Sprint(lastLines) {
		t.Errorf("%d lines from %s", len(lines), lines[0])
	}
}

// A script of testscript says why it is skipped before it shows itself.
func TestReason(t *testing.T) {
	for want, lines := range map[string][]string{
		"elsewhere: as a user": {"    testscript.go:609: elsewhere: as a user\n", "    testscript.go:609: WORK=$WORK\n"},
		"second":               {"    a_test.go:1: first\n", "    a_test.go:2: second\n", "--- SKIP: TestA\n"},
		"without a reason":     {"--- SKIP: TestA\n"},
	} {
		if got := reason(lines); got != want {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
}

func TestPattern(t *testing.T) {
	if got := pattern("TestOutcomes/24.11_auction"); got != `^TestOutcomes$/^24\.11_auction$` {
		t.Error(got)
	}
}

// The command that repeats a test runs that test: make takes no dollar of the pattern for a variable of its own.
func TestRepeatKeepsThePattern(t *testing.T) {
	want := "-run '" + pattern("TestOutcomes/24.11_auction") + "'"
	for _, target := range []string{"test-host", "test-highs", "test-runs", "test-ui"} {
		cmd := exec.Command(hosttest.Program(t, "make"), "-n", "-C", filepath.Join("..", ".."), target, "RUN="+pattern("TestOutcomes/24.11_auction"))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %s in\n%s", target, err, want, out)
		}
	}
}

// "make test-long" runs, with LONG=1, each test with a cluster that asks hosttest.Long, and "make test" leaves it out.
func TestLongTestsOnClustersAreFound(t *testing.T) {
	dry := func(target string) string {
		t.Helper()
		out, err := exec.Command(hosttest.Program(t, "make"), "-n", "-C", filepath.Join("..", ".."), target).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	out := dry("test-clusters-long")
	for _, want := range []string{"LONG=1", "RUN='^(", "TestLong|", "TestPapersPolicies|", "/emulator/run", "/cmd/slurmlab/internal/cli"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "TestOutcomes") {
		t.Errorf("a test that does not take long is among\n%s", out)
	}
}
