package policy_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/policy"
)

// A changed policy has the settings of slurm.conf(5) and of the agent in the place of its
// own, and all others as before.
func TestChange(t *testing.T) {
	backfill, err := policy.Find(policy.WholeQueue)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := backfill.Change("mine", policy.Setting{Key: "bf_interval", Value: "60"}, policy.Setting{Key: "bf_continue", Value: "false"},
		policy.Setting{Key: "bf_busy_nodes", Value: "true"}, policy.Setting{Key: "priority", Value: "multifactor"})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(backfill.Scheduler.Parameters, "bf_interval=30", "bf_interval=60", 1)
	want = strings.Replace(want, "bf_continue,", "", 1) + ",bf_busy_nodes"
	if changed.Name != "mine" || changed.Scheduler.Parameters != want || changed.Priority != "multifactor" || changed.Scheduler.Type != backfill.Scheduler.Type {
		t.Errorf("got %+v, want the parameters %s", changed, want)
	}
	auction, err := policy.Find(policy.Auction)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := auction.Change("wide", policy.Setting{Key: "window", Value: "50"}, policy.Setting{Key: "interval", Value: "10s"})
	if err != nil || wide.Parameters.Window != 50 || wide.Parameters.Interval.Seconds() != 10 || auction.Parameters.Window == 50 {
		t.Errorf("got %+v, %v", wide.Parameters, err)
	}
}

func TestChangeIsRefused(t *testing.T) {
	for _, c := range []struct{ of, key, value, want string }{
		{"auction", "windw", "5", `windw: unknown setting, allowed are parameters of policies.yaml, priority, and the words of SchedulerParameters in slurm.conf(5); did you mean "window"?`},
		{"auction", "window", "many", `window: "many" is not allowed: strconv.ParseInt: parsing "many": invalid syntax`},
		{"auction", "window", "0", `window: 0 is not allowed, want 1 to 10000`},
		{"auction", "bf_interval", "30", `bf_interval: has no effect, as auction has the scheduler sched/builtin`},
		{"auction", "priority", "size-by-time", `priority: size-by-time is not allowed with an agent, want basic or multifactor`},
		{"backfill", "window", "5", `window: has no effect, as backfill has no agent`},
		{"ipsched", "max_bids", "5", `max_bids: has no effect, as ipsched decides by the program ipsched, which does not read it`},
		{"backfill", "bf_window", "1 2", `bf_window: "1 2" is not allowed, want a number, true, false or a word of slurm.conf`},
	} {
		p, err := policy.Find(c.of)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Change("x", policy.Setting{Key: c.key, Value: c.value}); err == nil || err.Error() != c.want {
			t.Errorf("%s, %s: got error %v, want %s", c.of, c.key, err, c.want)
		}
	}
}
