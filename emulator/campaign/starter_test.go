package campaign_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// A question is asked where the site and its record give it a meaning, with numbers of the record, and is left out with the reason
// elsewhere. In the record QOS sweep has two jobs of 4 GPUs at once, of which Slurm would start none below 4.
func TestStarterAsksWhatApplies(t *testing.T) {
	const machine = `name: m
groups:
  - {name: c, count: 2, cores: 8}
  - {name: g, count: 2, cores: 8, gpus: {a100: 4}}
partitions:
  - {name: batch, groups: [c], default: true, max_time: 24h}
  - {name: gpu, groups: [g], max_time: 12h, priority_tier: 5}
  - {name: low, groups: [g], max_time: 12h}
qos:
  - {name: sweep}
`
	gpu := func(id, limit, gpus int, wait float64) campaign.Lived {
		j := workloads.Job{ID: id, Runtime: 3600, Limit: limit, Nodes: 1, Cores: 4, GPUsMin: gpus, GPUsMax: gpus}
		j.Partition, j.QOS = "gpu", "sweep"
		return campaign.Lived{Job: j, Submit: 1e9, Wait: wait}
	}
	inQOS := func(qos string, j campaign.Lived) campaign.Lived {
		j.QOS = qos
		return j
	}
	in := func(partition string, j campaign.Lived) campaign.Lived {
		j.Partition = partition
		return j
	}
	onDay := func(day int, j campaign.Lived) campaign.Lived {
		j.Submit += float64(day * 24 * 3600)
		return j
	}
	days := []campaign.Lived{gpu(1, 7200, 1, 0), onDay(1, gpu(2, 7200, 1, 0)), onDay(1, gpu(3, 7200, 1, 0)), onDay(2, gpu(4, 7200, 1, 0)), onDay(2, gpu(5, 7200, 1, 0)), onDay(3, gpu(6, 7200, 1, 0))}
	usual := []campaign.Lived{gpu(1, 7200, 4, 0), gpu(2, 7200, 4, 0), gpu(3, 7200, 4, 3600)}
	for _, c := range []struct {
		name, from, to string
		conf           []policy.Setting
		jobs           []campaign.Lived
		never          []workloads.Job
		extent         interchange.Extent
		want           string
	}{
		{name: "half of what was held", jobs: usual, want: "qos: {sweep: {limits: {GrpTRES: {gres/gpu: 4}}}}"},
		{name: "no less than the largest job", jobs: usual[:1], want: "the question qos-limit is left out: QOS sweep held at most 4 of gres/gpu at once, as much as its largest job"},
		{name: "a limit that is as low", from: "{name: sweep}", to: "{name: sweep, limits: {GrpTRES: {gres/gpu: 4}}}", jobs: usual, want: "the question qos-limit is left out: GrpTRES=gres/gpu=4 of QOS sweep is as low already"},
		{name: "another limit stays", from: "{name: sweep}", to: "{name: sweep, limits: {GrpTRES: {cpu: 9, gres/gpu: 7}}}", jobs: usual, want: "{GrpTRES: {cpu: 9, gres/gpu: 4}}"},
		{name: "each QOS has its reason", jobs: []campaign.Lived{inQOS("a", usual[0]), inQOS("normal", usual[0])}, want: "left out: QOS a held at most 4 of gres/gpu at once, as much as its largest job; QOS normal"},
		{name: "the usual QOS after the others", jobs: []campaign.Lived{inQOS("a", usual[0]), inQOS("", usual[0]), inQOS("", usual[1])}, want: "qos: {normal: {limits: {GrpTRES: {gres/gpu: 4}}}}"},
		{name: "more than the largest job, if not twice as much", jobs: []campaign.Lived{usual[0], gpu(2, 7200, 1, 0)}, want: "qos: {sweep: {limits: {GrpTRES: {gres/gpu: 4}}}}"},
		{name: "the QOS that held most", jobs: []campaign.Lived{inQOS("a", usual[0]), inQOS("a", gpu(2, 7200, 1, 0)), usual[0], usual[1]}, want: "qos: {sweep: {limits"},
		{name: "the partition with the work", jobs: []campaign.Lived{gpu(1, 11*3600, 1, 0)}, want: "partitions: {gpu: {max_time: 6h}}"},
		{name: "why this partition", jobs: []campaign.Lived{gpu(1, 11*3600, 1, 0)}, want: "MaxTime of partition gpu halved: 1 job of the record had a longer limit, and waited longest in all. Each"},
		{name: "the partition whose jobs waited, not the one with the work", jobs: []campaign.Lived{in("batch", gpu(1, 23*3600, 0, 60)), in("batch", gpu(2, 600, 0, 6000)), gpu(3, 11*3600, 1, 300)}, want: "partitions: {gpu: {max_time: 6h}}"},
		{name: "each word that changes is named", conf: []policy.Setting{{Key: "SchedulerParameters", Value: "bf_resolution=300"}}, jobs: usual, want: "# Backfill that looks further: bf_max_job_test 5000, not 500; bf_resolution 60, not 300; bf_continue, which is not"},
		{name: "no word for the worse", conf: []policy.Setting{{Key: "SchedulerParameters", Value: "bf_max_job_test=1000000,bf_resolution=30,bf_continue,bf_window=2880"}}, jobs: usual, want: "the question backfill is left out: backfill looks at every job already"},
		{name: "jobs that never started", jobs: []campaign.Lived{gpu(1, 11*3600, 1, 0)}, never: []workloads.Job{gpu(2, 12*3600, 1, 0).Job, gpu(3, 3600, 1, 0).Job}, want: "halved: 2 jobs of the record had a longer limit"},
		{name: "a limit of half is none above it", jobs: []campaign.Lived{gpu(1, 6*3600, 1, 0)}, want: "the question max-time is left out"},
		{name: "first in, first out", conf: []policy.Setting{{Key: "SchedulerType", Value: "sched/builtin"}}, jobs: usual, want: "the question backfill is left out: SchedulerType is sched/builtin, which has no backfill"},
		{name: "as far as the longest limit", conf: []policy.Setting{{Key: "SchedulerParameters", Value: "bf_window=60,bf_continue"}}, jobs: usual, want: "settings: {bf_max_job_test: 5000, bf_window: 1440}"},
		{name: "the machine's names without the site's", jobs: usual, want: `events: [{event: drain, nodes: "n3", until: 24h, reason: what if}]`},
		{name: "no half of an odd number", from: "count: 2, cores: 8, gpus", to: "count: 3, cores: 8, gpus", jobs: usual, want: "# 1 of the 3 nodes with GPUs of type a100 drained for the day."},
		{name: "one node of a type", from: "count: 2, cores: 8, gpus", to: "count: 1, cores: 8, gpus", jobs: usual, want: "the question half-drained is left out: one node has all GPUs of type a100"},
		{name: "the lowest partition of shared nodes", jobs: usual, want: "      gpu: {settings: {PreemptMode: \"OFF\"}}\n"},
		{name: "a site that preempts", conf: []policy.Setting{{Key: "PreemptType", Value: "preempt/qos"}}, jobs: usual, want: "the question preempt is left out: the site has PreemptType=preempt/qos already"},
		{name: "days of the record", jobs: usual, want: "days: [2001-09-09]"},
		{name: "a day before the record", jobs: days, extent: interchange.Extent{FirstEnd: 1e9 + 23*3600}, want: `  # 2001-09-09 left out (1 job): the record begins on 2001-09-10, and has of earlier days only the jobs that ended later
  days: [2001-09-10, 2001-09-11, 2001-09-12]
`},
		{name: "a day with few jobs", jobs: append(days, days[1], days[3]), want: "  # 2001-09-09, 2001-09-12 left out (2 jobs): fewer than half as many jobs as on the median day\n  days: [2001-09-10, 2001-09-11]\n"},
		{name: "a record of one job", jobs: usual, extent: interchange.Extent{FirstEnd: 1e9 + 24*3600*3}, want: "\n  days: [2001-09-09]\n"},
		{name: "jobs that still ran", jobs: usual, extent: interchange.Extent{Running: []interchange.Running{{Start: 1e9, CPUs: 4, GPUs: 2, Lasts: true}, {Start: 1e9 + 24*3600, CPUs: 4, GPUs: 2}}},
			want: "  # 1 job still ran when the record was taken, with 2 of 8 GPUs and 4 of 32 CPUs at the end of 2001-09-09: in the study\n  # each runs up to its time limit\n"},
		{name: "jobs that still ran, without limits", jobs: usual, extent: interchange.Extent{Running: []interchange.Running{{Start: 1e9, CPUs: 4, Lasts: true}, {Start: 1e9, CPUs: 4}}},
			want: "in the study each runs up to\n  # its time limit, but for 1 left out whose limit is not known\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := workloads.ParseMachine("m.yaml", []byte(strings.Replace(machine, c.from, c.to, 1)))
			require.NoError(t, err)
			p, left, err := policy.OfSite(c.conf)
			require.NoError(t, err)
			require.Empty(t, left)
			file, _ := campaign.Starter{Machine: m, Policy: p, Jobs: c.jobs, Never: c.never, Extent: c.extent, MachineFile: "m.yaml", PolicyFile: "p.yaml", Trace: "t.txt"}.File("made")
			require.Contains(t, file, c.want)
		})
	}
}
