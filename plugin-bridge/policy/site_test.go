package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// What a site's slurm.conf says of scheduling is in its policy, or is named with the reason, and what it does not say has the default
// of slurm.conf(5). The file of the policy is the policy.
func TestOfSite(t *testing.T) {
	for _, c := range []struct {
		name, lines                              string
		kind, parameters, order, priority, other string
		left                                     []string
	}{
		{
			name: "nothing", kind: "sched/backfill", order: "multifactor",
			priority: "PriorityWeightAge=0,PriorityWeightJobSize=0,PriorityMaxAge=7-0,PriorityCalcPeriod=5",
		},
		{
			name:  "a site of today, in any case",
			lines: "schedulerparameters=bf_window=2880,bf_continue,bf_future=7 PRIORITYWEIGHTAGE=1000 PriorityWeightQOS=5000 PriorityMaxAge=14-0 EnforcePartLimits=ALL DefMemPerCPU=2000",
			kind:  "sched/backfill", parameters: "bf_window=2880,bf_continue", order: "multifactor",
			priority: "PriorityWeightJobSize=0,PriorityCalcPeriod=5,PriorityWeightAge=1000,PriorityWeightQOS=5000,PriorityMaxAge=14-0",
			other:    "EnforcePartLimits=ALL DefMemPerCPU=2000",
			left:     []string{"SchedulerParameters=bf_future=7: slurm.conf(5) has no such word, or not with this scheduler"},
		},
		{
			// "Invalid parameter max_job_bf. The option is no longer supported" ends slurmctld (_load_config in src/plugins/sched/backfill/backfill.c).
			name:  "a word that slurmctld refuses",
			lines: "SchedulerParameters=bf_window=2880,max_job_bf=50 PriorityType=priority/basic",
			kind:  "sched/backfill", parameters: "bf_window=2880", order: "basic",
			left: []string{"SchedulerParameters=max_job_bf=50: slurm.conf(5) has no such word, or not with this scheduler"},
		},
		{
			name:  "first in, first out",
			lines: "SchedulerType=sched/builtin PriorityType=priority/basic PriorityWeightAge=1000 SchedulerParameters=default_queue_depth=500,bf_window=5",
			kind:  "sched/builtin", parameters: "default_queue_depth=500", order: "basic",
			left: []string{"PriorityWeightAge=1000: it has no effect with PriorityType=priority/basic", "SchedulerParameters=bf_window=5: slurm.conf(5) has no such word, or not with this scheduler"},
		},
		{
			// Slurm finds a word anywhere in the list (xstrcasestr in _init_config of src/slurmctld/job_scheduler.c).
			name: "a second equals sign", lines: "SchedulerParameters==bf_max_job_user=20,,bf_continue", kind: "sched/backfill", order: "multifactor",
			parameters: "bf_max_job_user=20,bf_continue",
			priority:   "PriorityWeightAge=0,PriorityWeightJobSize=0,PriorityMaxAge=7-0,PriorityCalcPeriod=5",
		},
		{
			name: "what the emulation needs as it is", lines: "SchedulerType=sched/wiki JobSubmitPlugins=lua JobRequeue=1 PriorityWeightAge=much", kind: "sched/backfill", order: "multifactor",
			priority: "PriorityWeightAge=0,PriorityWeightJobSize=0,PriorityMaxAge=7-0,PriorityCalcPeriod=5",
			left: []string{
				"SchedulerType=sched/wiki: it is none of sched/builtin and sched/backfill; here it is sched/backfill",
				"JobSubmitPlugins=lua: slurmlab sets it itself, as a plug-in of slurmlab sees each job at its submission",
				"JobRequeue=1: slurmlab sets it itself, as a run takes the first end of a job as final",
				`PriorityWeightAge=much: "much" is not allowed, want a whole number up to 4294967295`,
			},
		},
		{
			name: "whole nodes", lines: "SelectType=select/linear SelectTypeParameters=CR_Memory", kind: "sched/backfill", order: "multifactor",
			priority: "PriorityWeightAge=0,PriorityWeightJobSize=0,PriorityMaxAge=7-0,PriorityCalcPeriod=5",
			left: []string{
				"SelectType=select/linear: slurmlab sets it itself, as jobs share nodes by their cores and GPUs",
				"SelectTypeParameters=CR_Memory: CR_Memory is a word of select/linear, and slurmlab has select/cons_tres; the nearest is CR_Core_Memory",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines []policy.Setting
			for line := range strings.FieldsSeq(c.lines) {
				key, value, _ := strings.Cut(line, "=")
				lines = append(lines, policy.Setting{Key: key, Value: value})
			}
			p, left, err := policy.OfSite(lines)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range left {
				got = append(got, fmt.Sprintf("%s=%s: %v", l.Key, l.Value, l.Why))
			}
			if !reflect.DeepEqual(got, c.left) {
				t.Errorf("left out are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.left, "\n"))
			}
			s := p.Scheduler
			if s.Type != c.kind || s.Parameters != c.parameters || string(p.Priority) != c.order || s.Priority != c.priority || s.Lines != c.other {
				t.Errorf("%+v of order %s", s, p.Priority)
			}
			file := filepath.Join(t.TempDir(), "site.yaml")
			if err = os.WriteFile(file, []byte(p.File("a comment")), 0o600); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all, err := policy.Policies(nil).With(file, text)
			if err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], p) {
				t.Errorf("the file\n%s\nhas %+v, want %+v; %v", text, all, p, err)
			}
		})
	}
}

// Settings of an entry are as in --set, and their faults have the line of the entry.
func TestSettingsOfAnEntry(t *testing.T) {
	const text = "- name: mine\n  like: backfill\n  settings: {bf_window: 5760, EnforcePartLimits: ALL}\n"
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	with, err := all.With("mine.yaml", []byte(text+"- name: slow-auction\n  like: auction\n  settings: {interval: 60s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	mine, slow := with[len(with)-2], with[len(with)-1]
	if !strings.Contains(mine.Scheduler.Parameters, "bf_window=5760") || mine.Scheduler.Lines != "EnforcePartLimits=ALL" || slow.Parameters.Interval.Seconds() != 60 {
		t.Errorf("%+v, %+v", mine, slow)
	}
	_, err = all.With("mine.yaml", []byte("\n"+strings.Replace(text, "EnforcePartLimits: ALL", "bf_windw: 5, SlurmUser: me", 1)))
	for _, want := range []string{"mine.yaml:2: policy mine: settings.bf_windw: unknown setting", "settings.SlurmUser: slurmlab sets it itself"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
