package conf_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

func spec() conf.Spec {
	return conf.Spec{Nodes: 1408, Cores: 12, GPUs: 3, Scheduler: conf.Scheduler{Type: conf.Backfill}, Priority: priority.Basic, Clock: clock.Settings{Kind: clock.KindReal}}
}

func files(t *testing.T, s conf.Spec) map[string]string {
	t.Helper()
	list, err := conf.Files(s, backend.All().Of(backend.FrontEnd).Nodes(s).Conf, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, f := range list {
		byName[f.Name] = string(f.Data)
	}
	return byName
}

// TestSchedulers: "files POLICY" prints the lines of all files that a policy's scheduler adds (+) to the files of
// backfill-whole-queue or lacks (-). "slurm.conf POLICY" prints that file. Schedulers must differ only in who schedules,
// and how. A priority after the name adds the same lines to each.
func TestSchedulers(t *testing.T) {
	datadriven.RunTest(t, "testdata/schedulers", func(t *testing.T, d *datadriven.TestData) string {
		scheduler := func(name string) conf.Scheduler {
			p, err := policy.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			return p.Scheduler
		}
		s, tuned := spec(), spec()
		s.Scheduler, tuned.Scheduler = scheduler(d.CmdArgs[0].Key), scheduler(policy.WholeQueue)
		for _, order := range priority.Types() {
			if d.HasArg(string(order)) {
				s.Priority = order
			}
		}
		got, base := files(t, s), files(t, tuned)
		if d.Cmd == "slurm.conf" {
			return got["slurm.conf"]
		}
		var out strings.Builder
		lack := func(sign string, these, those map[string]string) {
			for _, name := range slices.Sorted(maps.Keys(these)) {
				others := strings.Split(those[name], "\n")
				for line := range strings.SplitSeq(these[name], "\n") {
					if !slices.Contains(others, line) {
						fmt.Fprintf(&out, "%s: %s%s\n", name, sign, line)
					}
				}
			}
		}
		lack("-", base, got)
		lack("+", got, base)
		return out.String()
	})
}

// With CPUs=12 alone Slurm takes 12 sockets; and a registration after boot
// kills all jobs on GPU nodes, so none may be asked for.
func TestFrontEndTraps(t *testing.T) {
	text := files(t, spec())["slurm.conf"]
	for _, want := range []string{
		"NodeName=n[1-1408] CPUs=12 Sockets=1 CoresPerSocket=12 ThreadsPerCore=1 Gres=gpu:3 NodeHostName=fe0 NodeAddr=127.0.0.1 State=UNKNOWN",
		"FrontendName=fe0 FrontendAddr=127.0.0.1",
		"SlurmdTimeout=0",
		"ReturnToService=2",
		"SelectTypeParameters=CR_Core\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("slurm.conf lacks %q", want)
		}
	}
}

// "no Slurm setting had to be stretched for the clock" is what tells the jump
// clock from the scaled one, under which a reply costs many virtual seconds.
func TestOnlyTheScaledClockStretchesTimeouts(t *testing.T) {
	s := spec()
	for _, kind := range []clock.Kind{clock.KindReal, clock.KindJump} {
		s.Clock = clock.Settings{Kind: kind}
		if strings.Contains(files(t, s)["slurm.conf"], "MessageTimeout") {
			t.Errorf("clock %s needs no stretched MessageTimeout", kind)
		}
	}
	s.Clock = clock.Settings{Kind: clock.KindScaled, TimeScale: 20}
	all := files(t, s)
	for _, want := range []string{"MessageTimeout=3600", "TCPTimeout=600", "BatchStartTimeout=3600"} {
		if !strings.Contains(all["slurm.conf"], want) {
			t.Errorf("slurm.conf lacks %q", want)
		}
	}
	if !strings.Contains(all["slurmdbd.conf"], "MessageTimeout=3600") {
		t.Error("slurmdbd.conf lacks MessageTimeout")
	}
}

func TestMachineWithoutGPUs(t *testing.T) {
	s := spec()
	s.GPUs = 0
	all := files(t, s)
	if _, found := all["gres.conf"]; found {
		t.Error("a machine without GPUs has a gres.conf")
	}
	if strings.Contains(strings.ToLower(all["slurm.conf"]), "gres") {
		t.Error("slurm.conf of a machine without GPUs speaks of gres")
	}
}

// TestJobsPerCore: slurm.conf(5), "FORCE: Makes all resources (except GRES) in the partition
// available for oversubscription without any means for users to disable it", of so many jobs.
func TestJobsPerCore(t *testing.T) {
	for jobs, want := range map[int]string{0: "NO", 1: "NO", 2: "FORCE:2"} {
		s := spec()
		s.Sharing.JobsPerCore = jobs
		if !strings.Contains(files(t, s)["slurm.conf"], " OverSubscribe="+want+"\n") {
			t.Errorf("%d jobs per core: want OverSubscribe=%s", jobs, want)
		}
	}
	s := spec()
	s.Sharing.JobsPerCore, s.Scheduler = 2, conf.Scheduler{Type: conf.Builtin, External: true}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "sharing: {JobsPerCore:2") {
		t.Errorf("beside an external scheduler: got %v", err)
	}
	s.Sharing.JobsPerCore = 1
	if err := s.Validate(); err != nil {
		t.Errorf("one job per core beside an external scheduler: got %v", err)
	}
}

// TestPreemption: slurm.conf(5), PreemptMode. "SUSPEND [...] always needs the GANG option". "Gang scheduling is
// performed independently for each partition", of those with FORCE. For REQUEUE "jobs must be submitted with the
// --requeue sbatch option or the JobRequeue parameter in the slurm.conf must be set to the value 1".
func TestPreemption(t *testing.T) {
	for _, tt := range []struct {
		sharing conf.Sharing
		want    string
		urgent  bool
	}{
		{conf.Sharing{}, " OverSubscribe=NO\n", false},
		{conf.Sharing{Preemption: conf.PreemptSuspend}, "\nPreemptMode=SUSPEND,GANG\nPreemptType=preempt/partition_prio\n", true},
		{conf.Sharing{Preemption: conf.PreemptSuspend}, " PriorityTier=2 OverSubscribe=FORCE:1\n", true},
		{conf.Sharing{Preemption: conf.PreemptRequeue}, "\nJobRequeue=1\n", true},
		{conf.Sharing{Preemption: conf.PreemptRequeue}, " PriorityTier=2 OverSubscribe=NO\n", true},
		{conf.Sharing{JobsPerCore: 2, Preemption: conf.TimeSlices}, "\nPreemptMode=GANG\nSchedulerTimeSlice=10\n", false},
	} {
		s := spec()
		s.Sharing = tt.sharing
		text := files(t, s)["slurm.conf"]
		if !strings.Contains(text, tt.want) || strings.Contains(text, "PartitionName=urgent ") != tt.urgent {
			t.Errorf("%+v: want %q, partition urgent %t", tt.sharing, tt.want, tt.urgent)
		}
	}
	for _, bad := range []conf.Sharing{{Preemption: "CANCEL"}, {Preemption: conf.TimeSlices}} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "preemption: ") {
			t.Errorf("%+v: got %v", bad, err)
		}
	}
}

func TestValidateListsEveryFault(t *testing.T) {
	err := conf.Spec{Nodes: 0, Cores: -1, Sharing: conf.Sharing{JobsPerCore: -1}, GPUs: -2, Scheduler: conf.Scheduler{Type: "fifo", Parameters: "bf_continue bf_interval=30", External: true}, Priority: "age", Clock: clock.Settings{Kind: clock.KindScaled, TimeScale: 0.5}}.Validate()
	if err == nil {
		t.Fatal("a spec without one good field is valid")
	}
	for _, field := range []string{"nodes: 0", "cores: -1", "jobs per core: -1", "gpus: -2", `scheduler: type "fifo"`, `scheduler: parameters "bf_continue bf_interval=30"`, `priority: "age"`, "time-scale: 0.5"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("error does not name %s: %v", field, err)
		}
	}
	if _, err := conf.Files(conf.Spec{}, conf.Nodes{}, conf.Root()); err == nil {
		t.Error("an invalid spec is rendered")
	}
}

// A key of the scheduler's on priority stands in slurm.conf once, in the place of the order's own.
func TestPriorityLines(t *testing.T) {
	s := spec()
	s.Priority, s.Scheduler = priority.Multifactor, conf.Scheduler{Type: conf.Backfill, Priority: "PriorityWeightAge=1000,PriorityFavorSmall=YES"}
	text := files(t, s)["slurm.conf"]
	const want = "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPriorityWeightJobSize=10080\nPriorityMaxAge=10080\nPriorityCalcPeriod=1\nPriorityFavorSmall=YES\nMaxJobCount="
	if !strings.Contains(text, want) {
		t.Errorf("slurm.conf lacks\n%s\nit is\n%s", want, text)
	}
	for _, bad := range []conf.Scheduler{{Type: conf.Backfill, Priority: "a=1\nb=2"}, {Type: conf.Builtin, External: true, Priority: "PriorityWeightAge=1"}} {
		if bad.Validate() == nil {
			t.Errorf("%+v has no fault", bad)
		}
	}
}

// TestLines: lines of a scheduler take the place of the cluster's own, and nothing else changes.
func TestLines(t *testing.T) {
	s := spec()
	before := files(t, s)["slurm.conf"]
	s.Scheduler.Lines = "SelectTypeParameters=CR_Core_Memory KillWait=60"
	want := strings.NewReplacer("SelectTypeParameters=CR_Core\n", "SelectTypeParameters=CR_Core_Memory\n", "NodeName=", "KillWait=60\nNodeName=").Replace(before)
	if got := files(t, s)["slurm.conf"]; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Sharing.Preemption = conf.PreemptRequeue
	s.Scheduler.Lines = "ClusterName=x LicenseParameters=y PreemptMode=SUSPEND,GANG"
	s.Slurm = "24.11"
	err := s.Validate()
	for _, fault := range []string{
		"ClusterName: slurmlab sets it itself", "LicenseParameters: Slurm 24.11 has no such line", "PreemptMode: is not allowed beside sharing",
	} {
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("got %v, want %s", err, fault)
		}
	}
	s.Slurm, s.Sharing, s.Scheduler.Lines = "26.05-slurmd", conf.Sharing{}, "LicenseParameters=y"
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// TestCutPriority: values of lines on priority may have commas.
func TestCutPriority(t *testing.T) {
	want := []string{"PriorityWeightTRES=CPU=1,Mem=2", "PriorityMaxAge=7-0"}
	if got := conf.CutPriority(strings.Join(want, ",")); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := conf.CutPriority(""); got != nil {
		t.Errorf("got %q of nothing", got)
	}
}
