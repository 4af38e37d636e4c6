package report

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(a, b *metric.Result)
		want   string // empty for none
	}{
		{"good runs", func(_, _ *metric.Result) {}, ""},
		{"failed jobs", func(_, b *metric.Result) {
			b.Jobs[0].State, b.Jobs[1].State, b.Jobs[2].State = "TIMEOUT", "TIMEOUT", "NODE_FAIL"
		}, "r2: 3 jobs did not end as planned: 2 × TIMEOUT, 1 × NODE_FAIL."},
		{"placement", func(_, b *metric.Result) {
			b.Cycles[3].Checked[0] = trace.Placement{Job: 3, Planned: "n[1-2] 8(x2)", Actual: "n[2-3] 8(x2)"}
		}, "r2: 1 of 40 checked placements differ from the plan."},
		{"unchecked", func(_, b *metric.Result) { b.Cycles[3].Checked = nil }, "r2: The placement of 1 started job was not checked."},
		{"refused", func(_, b *metric.Result) {
			b.Cycles[3].Refused = []trace.Refusal{{Job: 1, Reason: "busy"}, {Job: 2, Reason: "busy"}, {Job: 3, Reason: "down"}}
		}, "r2: Slurm refused 3 releases: 2 × busy, 1 × down."},
		{"held again", func(_, b *metric.Result) {
			b.Cycles[3].Reheld = []trace.Refusal{{Job: 1, Reason: "late"}}
		}, "r2: 1 released job did not start in time and went back to the queue: 1 × late."},
		{"solver lost", func(_, b *metric.Result) {
			b.Cycles[2].SolverCause, b.Cycles[3].SolverCause = "the worker ended: exit status 2", "the worker ended: exit status 2"
		}, "r2: The solver was lost, abandoned or failed in part in 2 cycles, which used the best assignment known by then: 2 × the worker ended: exit status 2."},
		{"bids dropped", func(_, b *metric.Result) { b.Cycles[3].BidsCut = 7 }, "r2: The limit on bids dropped 7 bids"},
		{"end within accounting", func(a, _ *metric.Result) { a.Jobs[0].Runtime-- }, ""},
		{"late end", func(a, _ *metric.Result) { a.Jobs[0].Runtime -= 2 }, "r1: 1 of 40 ends of jobs (completed) were off by more than 1 s of virtual time; the worst: the end of job 1 (completed), due at "},
		{"late cancellation", func(a, _ *metric.Result) {
			a.Run.Lateness = &trace.Lateness{}
			a.Run.Lateness.Acted(trace.ActionCancel, trace.Late{Most: 1.5, Job: 7, Due: 80})
		}, "r1: 1 of 1 cancellations were off by more than 1 s of virtual time; the worst: the cancellation of job 7, due at 80 s, came 1.5 s late."},
		{"submission after many others", func(_, b *metric.Result) { b.Run.ArrivalLagMax = 1.5 }, "r2: A job was submitted 1.500 s of virtual time after its arrival."},
		{"backfill cut short", func(a, _ *metric.Result) {
			a.Sdiag.Exits = []accounting.SdiagExit{{Reason: "End of job queue", Count: 300}, {Reason: "Timeout (bf_max_time)", Count: 20}, {Reason: "Hit bf_max_job_test", Count: 1}}
		}, "r1: 21 of 321 backfill passes ended before the end of the queue (20 × Timeout (bf_max_time), 1 × Hit bf_max_job_test): jobs behind"},
		{"default backfill cut short", func(a, _ *metric.Result) {
			a.Run.Policy = "backfill-default"
			a.Sdiag.Exits = []accounting.SdiagExit{{Reason: "End of job queue", Count: 301}, {Reason: "System state changed", Count: 20}}
		}, "r1: 20 of 321 backfill passes ended before the end of the queue (20 × System state changed): jobs behind"},
		{"default backfill without sdiag", func(a, _ *metric.Result) { a.Run.Policy, a.Sdiag = "backfill-default", nil }, "r1: There is no sdiag.txt"},
		{"fifo without sdiag", func(a, _ *metric.Result) { a.Run.Policy, a.Run.SchedulerType, a.Sdiag = "fifo", "sched/builtin", nil }, ""},
		{"fifo has no proof of backfill", func(a, _ *metric.Result) {
			a.Run.Policy, a.Run.SchedulerType, a.Sdiag = "fifo", "sched/builtin", &accounting.Sdiag{Cycles: 1, Exits: []accounting.SdiagExit{{Reason: "Timeout (bf_max_time)", Count: 1}}}
		}, ""},
		{"backfill without proof", func(a, _ *metric.Result) { a.Sdiag.Exits = nil }, "r1: sdiag.txt does not say why backfill passes ended"},
		{"no sdiag", func(a, _ *metric.Result) { a.Sdiag = nil }, "r1: There is no sdiag.txt"},
		{"no backfill pass", func(a, _ *metric.Result) { a.Sdiag = &accounting.Sdiag{} }, ""},
		{"early exits beside an agent", func(_, b *metric.Result) {
			b.Sdiag = &accounting.Sdiag{Cycles: 1, Exits: []accounting.SdiagExit{{Reason: "Timeout (bf_max_time)", Count: 1}}}
		}, ""},
		{"noise", func(a, b *metric.Result) {
			underJumpClock(a)
			underJumpClock(b)
			a.Run.Fidelity.ForeignSeconds, a.Run.Fidelity.StolenSeconds = 4, 2 // exactly 2 % of 300 s
		}, ""},
		{"restarts", func(a, b *metric.Result) {
			underJumpClock(a)
			underJumpClock(b)
			b.Run.Fidelity.Jump.Restarts = 2
		}, "r2: The controller of the clock died and was replaced (2 times)"},
		{"standstills", func(a, b *metric.Result) {
			underJumpClock(a)
			underJumpClock(b)
			b.Run.Fidelity.Jump.Standstills = 1
		}, "r2: The clock stood still although the cluster did not compute (1 time, "},
		{"no fidelity under jump", func(a, b *metric.Result) {
			underJumpClock(a)
			underJumpClock(b)
			b.Run.Fidelity = nil
		}, "r2: The run has no record of its jumps"},
		{"other think scale", func(a, b *metric.Result) {
			underJumpClock(a)
			underJumpClock(b)
			b.Run.ThinkScale = 4
		}, "The runs differ in think_scale:"},
		{"other clock and core", func(_, b *metric.Result) { underJumpClock(b) }, "The runs differ in clock, time_scale, having a core of their own:"},
		{"other image and scale", func(_, b *metric.Result) { b.Run.ImageID, b.Run.TimeScale = "sha256:0", 1 },
			"The runs differ in image_id, time_scale: differences of their metrics may not come from the policies."},
		{"other jobs", func(_, b *metric.Result) { b.Workload = []byte("other") }, "The two runs had different jobs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Runs: []metric.Result{completeRun(t, "r1", "backfill", 40, 9), completeRun(t, "r2", "auction", 40, 0)}}
			c.change(&in.Runs[0], &in.Runs[1])
			compute(t, &in.Runs[0])
			compute(t, &in.Runs[1])
			var got []string
			if box := write(t, in).class("comparison").class("warnings"); box != nil {
				for _, li := range box.all("li") {
					got = append(got, li.words())
				}
			}
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)) {
				t.Errorf("warnings %q, want %q", got, c.want)
			}
		})
	}
}
