package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// A tick that comes late by seconds is a standstill, one that a busy machine delays is none.
func TestStandstill(t *testing.T) {
	var c clock
	at := func(seconds float64) time.Time {
		return time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	for _, seconds := range []float64{0, 1, 2.5, 5.4, 40, 41} {
		c.look(at(seconds))
	}
	if want := []standstill{{at(5.4), at(40)}}; !slices.Equal(c.standstills(), want) {
		t.Fatalf("%v, want %v", c.standstills(), want)
	}
	for _, tt := range []struct{ from, to, want float64 }{{0, 5, 0}, {0, 6.4, 1}, {10, 12, 2}, {39, 50, 1}, {0, 50, 34.6}, {40, 50, 0}} {
		if got := stood(c.standstills(), at(tt.from), at(tt.to)).Seconds(); got != tt.want {
			t.Errorf("from %g to %g it stood for %g s, want %g", tt.from, tt.to, got, tt.want)
		}
	}
}

// Tests run again that failed while the machine stood still, and no others. A step passes if nothing of it fails then.
func TestAgain(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	failedAt := func(test string, from, to int64) failure {
		return failure{pkg: module + "/p", test: test, began: at(from), ended: at(to)}
	}
	still := []standstill{{at(100), at(135)}}
	for _, tt := range []struct {
		name     string
		failures []failure
		passes   string
		want     state
		ran      string
	}{
		{"stood still", []failure{failedAt("TestA/b c", 90, 110), failedAt("", 90, 200)}, "all", passed,
			"test-runs PKG=./p RUN=^TestA$/^b c$; test-runs PKG=./p"},
		{"before it", []failure{failedAt("TestA", 90, 100)}, "all", failed, ""},
		{"one of two", []failure{failedAt("TestA", 90, 110), failedAt("TestB", 140, 150)}, "all", failed, "test-runs PKG=./p RUN=^TestA$"},
		{"fails again", []failure{failedAt("TestA", 90, 110)}, "none", failed, "test-runs PKG=./p RUN=^TestA$"},
		{"no test failed", nil, "all", failed, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results := []result{
				{step: step{name: "runs", target: []string{"test-runs"}}, state: failed, tests: tally{passed: 7, failed: 3, failures: tt.failures}},
				{step: step{name: "ui"}, state: passed, tests: tally{passed: 5}},
			}
			var ran []string
			again(t.Context(), results, still, func(_ context.Context, s step) result {
				ran = append(ran, strings.Join(s.target, " "))
				if tt.passes == "all" {
					return result{state: passed}
				}
				return result{state: failed}
			})
			if got := strings.Join(ran, "; "); got != tt.ran {
				t.Errorf("ran %q, want %q", got, tt.ran)
			}
			r := results[0]
			if r.state != tt.want || r.tests.passed+r.tests.failed != 10 || (r.state == passed) != (r.tests.failed == 0) || results[1].state != passed {
				t.Errorf("%s with %d passed and %d failed, want %s", r.state, r.tests.passed, r.tests.failed, tt.want)
			}
			text := report(results, logs)
			if got := strings.Count(text, "run again: "); got != len(ran) || strings.Contains(text, "FAILED: ") != (r.state == failed) {
				t.Errorf("%d tests are said to have run again, want %d, and a failure if one is left:\n%s", got, len(ran), text)
			}
		})
	}
}
