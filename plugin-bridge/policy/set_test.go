package policy_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
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

// A name with settings is the policy changed by them, whose own name can be part of a path.
func TestResolvedSettings(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	got, err := all.Resolve("backfill-whole-queue+bf_window=5760+priority=multifactor")
	if err != nil {
		t.Fatal(err)
	}
	base, err := all.Find("backfill-whole-queue")
	if err != nil {
		t.Fatal(err)
	}
	want, err := base.Change("backfill-whole-queue+bf_window=5760+priority=multifactor", policy.Setting{Key: "bf_window", Value: "5760"}, policy.Setting{Key: "priority", Value: "multifactor"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v, %v", got, want, err)
	}
	named, err := all.Resolve("wide=backfill-whole-queue+bf_window=5760+priority=multifactor")
	want.Name = "wide"
	if err != nil || !reflect.DeepEqual(named, want) {
		t.Errorf("got %+v\nwant %+v, %v", named, want, err)
	}
	for name, want := range map[string]string{
		"fcfs+bf_window=1":         `policy: "fcfs" is not known`,
		"auction+windw=5":          `policy auction+windw=5: windw: unknown setting`,
		"auction+window":           `policy: "auction+window" is not known`,
		"auction+window=5+max":     `policy: "auction+window=5+max" is not allowed, want NAME+KEY=VALUE with one value for each key`,
		"auction+window=":          `policy auction+window=: window: "" is not allowed`,
		"bf_window=5":              `policy bf_window=5: policy: "5" is not known`,
		"fcfs=backfill+bf_window":  `policy: "backfill+bf_window" is not known`,
		"auction=backfill":         `policy: "auction=backfill" is not allowed, as auction is a policy; want another name before =`,
		"a b=backfill":             `policy a b=backfill: name: "a b" is not allowed`,
		"backfill+bf_window=../..": `policy backfill+bf_window=../..: bf_window: "../.." is not allowed, want a number`,
	} {
		if _, err := all.Resolve(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", name, err, want)
		}
	}
}

func TestChangeIsRefused(t *testing.T) {
	for _, c := range []struct{ of, key, value, want string }{
		{"auction", "windw", "5", `windw: unknown setting, allowed are parameters of the agent (slurmlab policy describe auction), priority, and of slurm.conf(5) its lines and the words of SchedulerParameters; did you mean "window"?`},
		{"auction", "window", "many", `window: "many" is not allowed, want 1 to 10000`},
		{"auction", "window", "0", `window: 0 is not allowed, want 1 to 10000`},
		{"auction", "bf_interval", "30", `bf_interval: has no effect, as auction has the scheduler sched/builtin`},
		{"auction", "PriorityWeightAge", "1", `PriorityWeightAge: has no effect, as the agent of auction computes priorities itself`},
		{"backfill-whole-queue", "PriorityWeightAge", "1", `PriorityWeightAge=1: has no effect with priority basic, the order of submission; also set priority=multifactor`},
		{"backfill", "PriorityWeightAge", "much", `PriorityWeightAge: "much" is not allowed, want a whole number up to 4294967295`},
		{"backfill", "PriorityWeightAge", "4294967296", `PriorityWeightAge: "4294967296" is not allowed, want a whole number up to 4294967295`},
		{"backfill", "PriorityMaxAge", "7 days", `PriorityMaxAge: "7 days" is not allowed, want a time of Slurm such as 7-0 or 12:00:00; one number is minutes`},
		{"backfill", "StateSaveLocation", "/tmp", `StateSaveLocation: slurmlab sets it itself, as the files of a cluster are in memory`},
		{"backfill", "PriorityType", "priority/basic", `PriorityType: it follows from the setting priority`},
		{"backfill", "SchedulerType", "sched/builtin", `SchedulerType: the policy sets it: choose another one (slurmlab policy list)`},
		{"backfill", "SchedulerTimeSlic", "60", `SchedulerTimeSlic: unknown setting, allowed are parameters of the agent (slurmlab policy describe auction), priority, and of slurm.conf(5) its lines and the words of SchedulerParameters; did you mean "SchedulerTimeSlice"?`},
		{"backfill", "KillWait", "60 OverTimeLimit=5", `KillWait: "60 OverTimeLimit=5" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
		{"backfill", "PriorityFlags", "A B", `PriorityFlags: "A B" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
		{"backfill-whole-queue", "PriorityFlags", "MAX_TRES", `PriorityFlags=MAX_TRES: has no effect with priority basic, the order of submission; also set priority=multifactor`},
		{"auction", "PriorityFlags", "MAX_TRES", `PriorityFlags: has no effect, as the agent of auction computes priorities itself`},
		{"auction", "PreemptMode", "REQUEUE", `PreemptMode: is not allowed with auction, as Slurm would stop jobs without the agent`},
		{"auction", "SelectTypeParameters", "CR_Core_Memory", `SelectTypeParameters: is not allowed with auction, as the agent plans cores and GPUs alone, and Slurm would refuse what it has planned`},
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

// Keys of slurm.conf on priority are lines in the place of those that the order has by itself.
func TestChangePriority(t *testing.T) {
	backfill, err := policy.Find(policy.Backfill)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := backfill.Change("aged", policy.Setting{Key: "PriorityWeightAge", Value: "1000"}, policy.Setting{Key: "PriorityFavorSmall", Value: "YES"},
		policy.Setting{Key: "PriorityWeightAge", Value: "4294967295"}, policy.Setting{Key: "bf_max_job_part", Value: "50"}, policy.Setting{Key: "priority", Value: "multifactor"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"PriorityWeightAge=4294967295", "PriorityWeightJobSize=10080", "PriorityMaxAge=10080", "PriorityCalcPeriod=1", "PriorityFavorSmall=YES"}
	if got := changed.Scheduler.PriorityLines(changed.Priority); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if backfill.Scheduler.Priority != "" || !strings.Contains(changed.Scheduler.Parameters, "bf_max_job_part=50") {
		t.Errorf("got %+v of %+v", changed.Scheduler, backfill.Scheduler)
	}
}

// Any line of slurm.conf that the cluster does not need as it is can be a setting, in the place
// of an earlier one of its key.
func TestChangeLines(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	got, err := all.Resolve("backfill+SchedulerTimeSlice=30+PreemptType=preempt/partition_prio+PriorityFlags=MAX_TRES,NO_NORMAL_ALL+SchedulerTimeSlice=60+PriorityWeightTRES=CPU=10,Mem=2")
	if err != nil {
		t.Fatal(err)
	}
	base, err := all.Find("backfill")
	if err != nil {
		t.Fatal(err)
	}
	if want := "SchedulerTimeSlice=60 PreemptType=preempt/partition_prio"; got.Scheduler.Lines != want || base.Scheduler.Lines != "" {
		t.Errorf("got the lines %q, want %q", got.Scheduler.Lines, want)
	}
	// The whole name would have 150 letters.
	if want := "backfill+SchedulerTimeSlice=30+PreemptType=preempt-partition_prio+PriorityFlags=MAX_TRES-NO_NORMAL_ALL+Schedul"; !strings.HasPrefix(got.Name, want) || len(got.Name) != 120 {
		t.Errorf("got the name %q, want 120 letters that begin with %q", got.Name, want)
	}
	if other := policy.JoinName(got.Name, "KillWait=60"); other == got.Name || len(other) != 120 {
		t.Errorf("got the name %q beside %q", other, got.Name)
	}
	lines := got.Scheduler.PriorityLines(got.Priority)
	for _, want := range []string{"PriorityFlags=MAX_TRES,NO_NORMAL_ALL", "PriorityWeightTRES=CPU=10,Mem=2"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q lacks %s", lines, want)
		}
	}
	asked := got.Scheduler.Asked(got.Priority)
	if asked[0] != "SchedulerParameters="+base.Scheduler.Parameters || asked[len(asked)-1] != "PreemptType=preempt/partition_prio" || len(asked) != len(lines)+3 {
		t.Errorf("asked for %q", asked)
	}
}

// A whole line SchedulerParameters takes the place of the policy's own, word by word.
func TestChangeSchedulerParameters(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	got, err := all.Resolve("backfill+SchedulerParameters=bf_window=5760,bf_continue+bf_interval=60")
	if err != nil || got.Scheduler.Parameters != "bf_window=5760,bf_continue,bf_interval=60" {
		t.Errorf("got %q, %v", got.Scheduler.Parameters, err)
	}
	want := "policy backfill+SchedulerParameters=bf_windw=1,colour: bf_windw: unknown setting, allowed are parameters of the agent (slurmlab policy describe auction), priority, and of slurm.conf(5) its lines and the words of SchedulerParameters; did you mean \"bf_window\"?\n" +
		"colour: unknown setting"
	if _, err = all.Resolve("backfill+SchedulerParameters=bf_windw=1,colour"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Of several settings a policy takes those that it has, and has a name that says so.
func TestChangeWhere(t *testing.T) {
	settings := []policy.Setting{{Key: "window", Value: "50"}, {Key: "bf_window", Value: "5760"}, {Key: "KillWait", Value: "60"}, {Key: "PriorityWeightAge", Value: "7"}}
	for name, want := range map[string]string{
		"backfill": "backfill+bf_window=5760+KillWait=60+PriorityWeightAge=7",
		"auction":  "auction+window=50+KillWait=60",
	} {
		p, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.ChangeWhere(settings...)
		if err != nil || got.Name != want || got.Scheduler.Lines != "KillWait=60" {
			t.Errorf("%s: got %+v, %v, want the name %s", name, got, err, want)
		}
		if same, sameErr := p.ChangeWhere(); sameErr != nil || !reflect.DeepEqual(same, p) {
			t.Errorf("%s without settings: got %+v, %v", name, same, sameErr)
		}
		if _, err = p.ChangeWhere(policy.Setting{Key: "max-bids", Value: "3"}); err == nil || !strings.HasPrefix(err.Error(), "max-bids: unknown setting") || !strings.HasSuffix(err.Error(), `; did you mean "max_bids"?`) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}
