package trace

import "testing"

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
