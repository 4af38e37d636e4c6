//go:build integration

package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// setting is a run of two jobs of one minute under a policy with settings, and what was warned of.
func setting(t *testing.T, on backend.Backend, policyName string) (run.Config, *[]string) {
	t.Helper()
	c := config(t, on, file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\ngpus: 0\n"), file(t, "two.txt", "60 -N 1 -n 1\n60 -N 1 -n 1\n"), policyName, 0)
	c.Dir = run.OwnDir(t, "settings")
	warned := new([]string)
	c.Warn = ownStandstills(t, func(text string) { *warned = append(*warned, text) })
	return c, warned
}

// The Slurm that ran has settings of several kinds as they were set: a number with a unit, words in other capitals, a
// word that stands for another one, a time and a list. What Slurm writes otherwise is noted only where it means
// something else to a reader: slurm.conf(5), EnforcePartLimits, has "YES" for "ANY".
func TestSettings(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, func(t *testing.T, on backend.Backend) {
		c, warned := setting(t, on, "backfill+SchedulerTimeSlice=60+SelectTypeParameters=CR_Core_Memory+EnforcePartLimits=YES+OverTimeLimit=UNLIMITED"+
			"+PreemptExemptTime=90+PriorityWeightTRES=CPU=10,Mem=2+bf_window=5760")
		if _, err := run.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		run, err := mustOpen(t, c.Dir).ReadRun()
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{"SchedulerTimeSlice": "60 sec", "SelectTypeParameters": "CR_CORE_MEMORY", "EnforcePartLimits": "ANY",
			"OverTimeLimit": "UNLIMITED", "PreemptExemptTime": "01:30:00", "PriorityWeightTRES": "CPU=10,Mem=2", "PriorityMaxAge": "1-00:00:00", "PriorityFlags": "SMALL_RELATIVE_TO_TIME"} {
			if got := run.EffectiveSettings[key]; got != want {
				t.Errorf("%s is %q in run.json, want %q", key, got, want)
			}
		}
		if got := run.EffectiveSettings["SchedulerParameters"]; got != run.SchedulerParameters || !strings.Contains(got, "bf_window=5760") {
			t.Errorf("SchedulerParameters are %q, want %q", got, run.SchedulerParameters)
		}
		if len(run.SlurmSettings) != 5 || run.SlurmSettings["SchedulerTimeSlice"] != "60" {
			t.Errorf("run.json has the settings %v", run.SlurmSettings)
		}
		if want := "EnforcePartLimits: the setting is YES, and the running Slurm has ANY."; len(*warned) != 1 || (*warned)[0] != want {
			t.Errorf("warned of %q, want %q alone", *warned, want)
		}
	})
}

// A value that Slurm does not take ends the boot at once, in Slurm's words, whichever of its programs finds it. So
// does a value that Slurm leaves out.
func TestSettingsThatSlurmRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ settings, want string }{
		{"SchedulerTimeSlice=banana", `Slurm refuses the configuration: sacctmgr: error: SchedulerTimeSlice value "banana" is not a valid number`},
		{"PreemptMode=SUSPEND", "PreemptMode=SUSPEND requires GANG too"},
		// Only slurmctld loads this plug-in.
		{"MCSPlugin=mcs/banana", "slurmctld died; its last log lines:"},
		{"DefMemPerCPU=5+DefMemPerNode=7", "DefMemPerCPU: Slurm did not take DefMemPerCPU=5: scontrol show config has no such line"},
	} {
		t.Run(tt.settings, func(t *testing.T) {
			c, _ := setting(t, backendtest.Quick(), "backfill+"+tt.settings)
			_, err := run.Run(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "does not serve after") {
				t.Fatalf("got %v, want Slurm's words on %s", err, tt.want)
			}
			t.Log(err)
			run, readErr := mustOpen(t, c.Dir).ReadRun()
			if readErr != nil || run.Status != trace.StatusFailed || !strings.Contains(run.Reason, tt.want) {
				t.Errorf("run.json says %s: %s, %v", run.Status, run.Reason, readErr)
			}
		})
	}
}

// everySetting has a value that is not Slurm's default for each line of slurm.conf that can be
// set, but for those of which Slurm heeds only one; these are rivalSettings.
const (
	everySetting = `AllowSpecResourcesUsage=YES CompleteWait=5 DefCPUPerGPU=2 DefMemPerGPU=50 DependencyParameters=kill_invalid_depend EnforcePartLimits=ALL
EpilogMsgTime=3000 FairShareDampeningFactor=2 FirstJobId=10 GroupUpdateForce=0 GroupUpdateTime=700 KillWait=40 Licenses=foo:4 MCSParameters=enforced,select
MCSPlugin=mcs/user MaxArraySize=500 MaxJobId=100000 MaxMemPerNode=900 MaxStepCount=50 MaxTasksPerNode=100 OverTimeLimit=5 PreemptExemptTime=00:02:00
PreemptMode=CANCEL PreemptParameters=youngest_first PreemptType=preempt/partition_prio PriorityCalcPeriod=2 PriorityDecayHalfLife=7-0 PriorityFavorSmall=YES
PriorityFlags=MAX_TRES,NO_FAIR_TREE PriorityMaxAge=12:00:00 PriorityParameters=x PriorityUsageResetPeriod=DAILY PriorityWeightAge=9 PriorityWeightAssoc=5
PriorityWeightFairshare=6 PriorityWeightJobSize=3 PriorityWeightPartition=8 PriorityWeightQOS=7 PriorityWeightTRES=CPU=10,Mem=2 PrivateData=jobs,usage
ReconfigFlags=KeepPartState ResvOverRun=3 SchedulerTimeSlice=45 ScronParameters=enable SelectTypeParameters=CR_CPU SlurmctldParameters=idle_on_node_suspend
TopologyParam=TopoOptional TrackWCKey=YES`
	rivalSettings = "DefMemPerNode=1 MaxMemPerCPU=7"
	newSettings   = "LicenseParameters=RemoteFuzzyMatch DefMemPerCPU=1 MaxMemPerCPU=7"
)

// Each line that can be set is one that a running Slurm of both series shows as it was asked for. So the check after
// a boot finds what Slurm leaves out and warns of nothing else.
func TestEachSettingIsShown(t *testing.T) {
	t.Parallel()
	all := strings.Fields(everySetting + " " + rivalSettings + " " + newSettings)
	for _, key := range conf.Keys() {
		if !slices.ContainsFunc(all, func(line string) bool { return strings.HasPrefix(line, key+"=") }) {
			t.Errorf("%s has no value here", key)
		}
	}
	for _, tt := range []struct {
		on    backend.Backend
		lines string
	}{
		{backendtest.FrontEnd(), everySetting}, {backendtest.External(), everySetting}, {backendtest.FrontEnd(), rivalSettings}, {backendtest.External(), newSettings},
	} {
		t.Run(tt.on.Name(), func(t *testing.T) {
			c, warned := setting(t, tt.on, "backfill+"+strings.Join(strings.Fields(tt.lines), "+"))
			if _, err := run.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			run, err := mustOpen(t, c.Dir).ReadRun()
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Fields(tt.lines) {
				key, _, _ := strings.Cut(line, "=")
				if run.EffectiveSettings[key] == "" {
					t.Errorf("run.json lacks %s", key)
				}
			}
			if len(*warned) > 0 {
				t.Errorf("warned of %q", *warned)
			}
		})
	}
}
