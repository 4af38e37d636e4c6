package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// lastLines is how many lines of a failed test or step are shown.
const lastLines = 50

// event is a line of "go test -json" (cmd/test2json).
type event struct {
	Time       time.Time
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
	Path       string
}

// failure is a test that failed without a subtest that did, or a package that failed without such a
// test.
type failure struct {
	pkg, test string
	lines     []string
	// kept is the directory in which the test left the logs of its cluster, empty for none.
	kept string
	// began and ended are when the test ran.
	began, ended time.Time
	// stood is how long the machine stood still meanwhile, and repeated what came of the test when it ran once more for
	// that, empty when it did not.
	stood    time.Duration
	repeated state
}

// tally is what became of the tests of a step.
type tally struct {
	passed, failed int
	// cut are the tests that an interrupt ended, and notBegun those that waited for their turn (t.Parallel) when the
	// output ended.
	cut, notBegun int
	// skipped counts tests by the reason of their skip.
	skipped  map[string]int
	failures []failure
	// other are the last lines that were no events.
	other []string
}

func (t *tally) skips() (n int) {
	for _, some := range t.skipped {
		n += some
	}
	return n
}

// test is a test or, without a name, a package that has not ended.
type test struct {
	lines []string
	kept  string
	began time.Time
	// waits says that the test has called t.Parallel and has not had its turn.
	waits bool
	// subtestFailed says that a subtest, or a test of the package, has shown the failure already.
	subtestFailed bool
}

type testName struct{ pkg, test string }

// follower reads what a step prints.
type follower struct {
	tally
	running map[testName]*test
	// interrupted says whether the step was interrupted: a test that fails then says nothing of the product.
	interrupted func() bool
	// say tells people what happened.
	say func(format string, args ...any)
	// log has all lines as go test would have printed them, events the events.
	log, events io.Writer
}

func newFollower(interrupted func() bool, say func(string, ...any), log, events io.Writer) *follower {
	return &follower{
		tally: tally{skipped: map[string]int{}}, running: map[testName]*test{}, interrupted: interrupted, say: say, log: log, events: events,
	}
}

// follow reads until the end. What cannot be written to the logs is an error.
func (f *follower) follow(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if lineErr := f.line(line); lineErr != nil {
				return lineErr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f *follower) line(line string) error {
	var e event
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		f.other = last(f.other, line)
		_, err := io.WriteString(f.log, line)
		return err
	}
	if _, err := io.WriteString(f.events, line); err != nil {
		return err
	}
	if _, err := io.WriteString(f.log, e.Output); err != nil {
		return err
	}
	f.event(e)
	return nil
}

func (f *follower) event(e event) {
	// What the compiler says has the package in another field, with the variant behind it.
	if e.Package == "" {
		e.Package, _, _ = strings.Cut(e.ImportPath, " ")
	}
	name := testName{e.Package, e.Test}
	t := f.running[name]
	if t == nil {
		t = &test{began: e.Time}
		f.running[name] = t
	}
	switch e.Action {
	case "output", "build-output":
		t.lines = last(t.lines, e.Output)
	case "artifacts": //nolint:misspell // an action of test2json
		t.kept = e.Path
	case "pause":
		t.waits = true
	case "cont":
		t.waits = false
	case "pass", "skip", "fail":
		delete(f.running, name)
		f.ended(e, t)
	}
}

// ended takes note of the end of a test or a package.
func (f *follower) ended(e event, t *test) {
	if e.Action == "fail" && f.interrupted() {
		f.ends(e.Test, t)
		return
	}
	took := time.Duration(e.Elapsed * float64(time.Second)).Round(100 * time.Millisecond)
	if e.Action == "fail" && !t.subtestFailed {
		f.failures = append(f.failures, failure{pkg: e.Package, test: e.Test, lines: t.lines, kept: t.kept, began: t.began, ended: e.Time})
		f.say("FAILED %s", strings.TrimSpace(e.Test+" "+e.Package))
	}
	if e.Test == "" {
		if e.Action == "pass" {
			f.say("ok %s %v", e.Package, took)
		}
		return
	}
	switch e.Action {
	case "pass":
		f.passed++
	case "skip":
		f.skipped[reason(t.lines)]++
	case "fail":
		f.failed++
		f.fails(testName{e.Package, parent(e.Test)})
	}
}

// fails says of a test that one of its subtests failed, and of a package that a test did.
func (f *follower) fails(name testName) {
	if f.running[name] == nil {
		f.running[name] = &test{}
	}
	f.running[name].subtestFailed = true
}

// end takes note of what was running when the output ended: a process that was killed has told no end.
func (f *follower) end() {
	// A test stands before its subtests.
	names := slices.SortedFunc(maps.Keys(f.running), func(a, b testName) int {
		return strings.Compare(a.pkg+" "+a.test, b.pkg+" "+b.test)
	})
	for _, name := range slices.Backward(names) {
		t := f.running[name]
		if t.waits || f.interrupted() {
			f.ends(name.test, t)
			continue
		}
		if name.test == "" {
			continue
		}
		f.failed++
		if !t.subtestFailed {
			f.failures = append(f.failures, failure{
				pkg: name.pkg, test: name.test, lines: append(t.lines, "(it had not ended)\n"), kept: t.kept, began: t.began, ended: time.Now(),
			})
		}
		f.fails(testName{name.pkg, parent(name.test)})
	}
}

// ends counts a test, or a package without a name, that is not to blame for its end.
func (f *follower) ends(name string, t *test) {
	switch {
	case name == "":
	case t.waits:
		f.notBegun++
	default:
		f.cut++
	}
}

// parent is the test of a subtest, empty for a test.
func parent(test string) string {
	if i := strings.LastIndexByte(test, '/'); i >= 0 {
		return test[:i]
	}
	return ""
}

// skipLine is what a test said, and skipClass how the reasons of package hosttest begin.
var (
	skipLine  = regexp.MustCompile(`^\s*[\w.]+\.go:\d+: (.*)`)
	skipClass = regexp.MustCompile(`^(needs |long: |elsewhere: )`)
)

// reason is why a test was skipped: a reason of package hosttest, or what it said last.
func reason(lines []string) string {
	text := "without a reason"
	for _, line := range lines {
		if found := skipLine.FindStringSubmatch(line); found != nil {
			text = strings.TrimSpace(found[1])
			if skipClass.MatchString(text) {
				break
			}
		}
	}
	return text
}

func last(lines []string, line string) []string {
	lines = append(lines, line)
	if len(lines) > lastLines {
		lines = lines[len(lines)-lastLines:]
	}
	return lines
}

// pattern is what -run needs for a test or subtest alone.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = fmt.Sprintf("^%s$", regexp.QuoteMeta(part))
	}
	return strings.Join(parts, "/")
}
