package trace

import (
	"bytes"
	"testing"
)

const (
	wholeQueueSet = "batch_sched_delay=0,default_queue_depth=10000,bf_continue,bf_interval=30,bf_resolution=60,bf_window=2880,bf_max_job_test=5000"
	strongestSet  = "batch_sched_delay=0,default_queue_depth=10000,bf_continue,bf_interval=5,bf_resolution=60,bf_window=2880,bf_max_job_test=5000,bf_job_part_count_reserve=1"
)

func recorded(policy, parameters string) Settings {
	return Settings{Policy: policy, SchedulerParameters: parameters}
}

// "backfill" names the tuned backfill today and another set before (issue 17). The parameters that a run records decide
// which policy it is of.
func TestPolicyToday(t *testing.T) {
	for _, test := range []struct{ policy, parameters, want string }{
		{"backfill", "", "backfill-whole-queue"},
		{"backfill", wholeQueueSet, "backfill-whole-queue"},
		{"backfill", strongestSet, "backfill"},
		{"backfill-size-by-time", strongestSet, "backfill"},
		// A policy of the user's own may have the name that is free again.
		{"backfill-size-by-time", "bf_interval=1", "backfill-size-by-time"},
		{"backfill-whole-queue", wholeQueueSet, "backfill-whole-queue"},
		{"backfill-default", "", "backfill-default"},
		{"auction", wholeQueueSet, "auction"},
	} {
		if got := recorded(test.policy, test.parameters).PolicyToday(); got != test.want {
			t.Errorf("%s with %q: got %s, want %s", test.policy, test.parameters, got, test.want)
		}
	}
}

// Two runs of "backfill" are two policies where one was recorded before the tuned backfill took the name, and one
// policy where both names mean one set.
func TestOneNameTwoPolicies(t *testing.T) {
	old, strongest := recorded("backfill", ""), recorded("backfill", strongestSet)
	for _, test := range []struct {
		a, b        Settings
		sides       Sides
		differences string
	}{
		{old, strongest, Sides{OfPolicies, "backfill-whole-queue", "backfill"}, `policy ("backfill-whole-queue" and "backfill")`},
		{old, recorded("backfill", wholeQueueSet), Sides{OfBackends, "", ""}, ""},
		{old, recorded("backfill-whole-queue", wholeQueueSet), Sides{OfBackends, "", ""}, ""},
		{strongest, recorded("backfill-size-by-time", strongestSet), Sides{OfBackends, "", ""}, ""},
		{old, recorded("auction", ""), Sides{OfPolicies, "backfill", "auction"}, `policy ("backfill-whole-queue" and "auction")`},
	} {
		if got := SidesOf(test.a, test.b); got != test.sides {
			t.Errorf("%v and %v: got sides %v, want %v", test.a, test.b, got, test.sides)
		}
		if got := test.a.Differences(test.b, Free{Tool: true}).String(); got != test.differences {
			t.Errorf("%v and %v: got differences %q, want %q", test.a, test.b, got, test.differences)
		}
	}
}

// A table names runs by their policies, and would not tell these apart.
func TestCheckPolicyNames(t *testing.T) {
	named := func(id string, s Settings) Run { return Run{ID: id, Settings: s} }
	old, strongest := named("r1", recorded("backfill", "")), named("r2", recorded("backfill", strongestSet))
	if err := CheckPolicyNames([]Run{old, named("r3", recorded("backfill", wholeQueueSet)), named("r4", recorded("auction", ""))}); err != nil {
		t.Error(err)
	}
	const want = "policy: backfill is backfill-whole-queue in run r1 and backfill in run r2, want runs of one of them at a time"
	if err := CheckPolicyNames([]Run{old, strongest}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Names have settings as --policies takes them. A record of another build has "+window-5", in the same key, and a name
// that only looks so stays.
func TestSettingsInNames(t *testing.T) {
	for name, want := range map[string]string{
		"auction+window-5+max_bypass-0":        "auction+window=5+max_bypass=0",
		"backfill+bf_window-5760+KillWait--1":  "backfill+bf_window=5760+KillWait=-1",
		"backfill+priority-multifactor+again":  "backfill+priority=multifactor+again",
		"auction+window=5":                     "auction+window=5",
		"a100+partition-time":                  "a100+partition-time",
		"backfill+batch_sched_delay-3+x_wait-": "backfill+batch_sched_delay=3+x_wait-",
	} {
		run := jumpRun()
		run.Policy, run.SchedulerParameters, run.Parameters = name, "batch_sched_delay=3,bf_continue", []byte(`{"window": 5, "max_bypass": 0}`)
		var file bytes.Buffer
		if err := EncodeRun(&file, run); err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRun(&file, "run.json")
		if err != nil || got.Policy != want {
			t.Errorf("%s: got %s, %v, want %s", name, got.Policy, err, want)
		}
		before, errBefore := run.Key()
		after, errAfter := got.Key()
		if errBefore != nil || errAfter != nil || before != after {
			t.Errorf("%s: got keys %s and %s, %v, %v", name, before, after, errBefore, errAfter)
		}
	}
}
