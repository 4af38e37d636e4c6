package trace

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
)

// ended is a job that ran for so many seconds from 100 s on.
func ended(id int, outcome workloads.Outcome, seconds float64) FinishedJob {
	return FinishedJob{
		Job:   workloads.Job{ID: id, Runtime: 180, Limit: 600, Cores: 1, Outcome: outcome},
		State: outcome.State(), Submit: 10, Start: 100, Finish: 100 + seconds, Allocated: []int{0},
	}
}

// waited is a job that its user was to cancel 90 s after its submission, and that was so many seconds after it.
func waited(id int, seconds float64) FinishedJob {
	j := ended(id, workloads.CancelledPending, 0)
	j.Runtime, j.CancelAfter, j.Start, j.Finish, j.Allocated = 0, 90, NeverStarted, j.Submit+seconds, nil
	return j
}

// The end of a job is off by what lies between it and the one of its workload, whatever the outcome (issue 38, line 0). At a
// limit Slurm looks every 30 s (PERIODIC_TIMEOUT in src/slurmctld/slurmctld.h).
func TestEndsAreCompared(t *testing.T) {
	killed := func(j FinishedJob) FinishedJob {
		j.State, j.Victim = "NODE_FAIL", true
		return j
	}
	other := func(j FinishedJob, state string) FinishedJob {
		j.State = state
		return j
	}
	starts := ended(1, workloads.CancelledPending, 153)
	starts.Runtime, starts.CancelAfter = 0, 5000
	for _, tt := range []struct {
		name string
		job  FinishedJob
		off  float64 // NaN for one of which it is not known
	}{
		{"in time", ended(1, workloads.Completed, 180), 0},
		{"a second late", ended(1, workloads.Completed, 181), 1},
		{"late", ended(1, workloads.Completed, 182), 2},
		{"early", ended(1, workloads.Completed, 178), -2},
		{"failed", ended(1, workloads.Failed, 183), 3},
		{"out of memory", ended(1, workloads.OutOfMemory, 200), 20},
		{"cancelled while it ran", ended(1, workloads.Cancelled, 298), 118},
		{"cancelled in the queue in time", waited(1, 90), 0},
		{"cancelled in the queue", waited(1, 240), 150},
		{"cancelled in the queue too early", waited(1, 88), -2},
		{"cancelled as it starts", starts, 153},
		{"at its limit", ended(1, workloads.Timeout, 180), 0},
		{"at its limit by the next look", ended(1, workloads.Timeout, 210), 0},
		{"at its limit by the look after that", ended(1, workloads.Timeout, 240), 30},
		{"before its limit", ended(1, workloads.Timeout, 178), -2},
		{"killed by an event", killed(ended(1, workloads.Completed, 20)), math.NaN()},
		{"preempted", other(ended(1, workloads.Completed, 20), "PREEMPTED"), math.NaN()},
		{"killed at its limit", other(ended(1, workloads.Completed, 620), "TIMEOUT"), math.NaN()},
	} {
		l := Run{}.LatenessOf([]FinishedJob{tt.job})
		late, known := l.EndsOfJobs()
		if known == math.IsNaN(tt.off) || l.Unknown == 1 != math.IsNaN(tt.off) {
			t.Errorf("%s: %+v", tt.name, l)
			continue
		}
		over := 0
		if math.Abs(tt.off) > LateSeconds {
			over = 1
		}
		if known && (late.Most != tt.off || late.Count != 1 || late.Over != over || late.Job != 1) {
			t.Errorf("%s: %+v, want it off by %g", tt.name, late, tt.off)
		}
	}
}

// Where Slurm lets jobs exceed their limit or may suspend them, nobody knows when they have to end.
func TestEndsThatNobodyKnows(t *testing.T) {
	jobs := []FinishedJob{ended(1, workloads.Completed, 180), ended(2, workloads.Timeout, 600)}
	for setting, want := range map[string]int{"OverTimeLimit": 1, "PreemptMode": 2, "KillWait": 0} {
		run := Run{Settings: Settings{SlurmSettings: map[string]string{setting: "SUSPEND,GANG"}}}
		if l := run.LatenessOf(jobs); l.Unknown != want {
			t.Errorf("%s: %+v, want %d unknown", setting, l, want)
		}
	}
}

func late(kind Action, seconds ...float64) *Lateness {
	l := &Lateness{}
	for i, s := range seconds {
		l.Acted(kind, Late{Most: s, Job: i + 1, Due: float64(10 * i)})
	}
	return l
}

// More than a second is a warning, more than the limit of a disturbed run makes the run disturbed: 2 % of its real time and
// 1 s. What a run does not say is neither.
func TestLateRuns(t *testing.T) {
	for _, tt := range []struct {
		name      string
		lateness  *Lateness
		real      float64
		scale     float64
		warns     string
		disturbed string
		latest    float64
	}{
		{"of an older build", nil, 10, 1, "", "", math.NaN()},
		{"in time", late(ActionCancel, 0, 0.9), 10, 1, "", "", 0.9},
		{"a cancellation", late(ActionCancel, 0.2, 1.1), 10, 1,
			"1 of 2 cancellations were off by more than 1 s of virtual time; the worst: the cancellation of job 2, due at 10 s, came 1.1 s late.",
			"its clock: the cancellation of job 2, due at 10 s, came 1.1 s late", 1.1},
		{"below the limit", late(ActionArrival, 1.9, 1.1), 100, 1, "2 of 2 submissions were off", "", 1.9},
		{"beyond the limit", late(ActionArrival, 2.1), 100, 1, "1 of 1 submissions were off", "its clock: the submission of job 1", 2.1},
		{"under a scaled clock", late(ActionEnd, 19), 10, 20, "1 of 1 ends by the runner were off", "", 19},
		{"a cycle", late(ActionCycle, 3), 10, 1, "1 of 1 cycles of the agent were off", "its clock: a cycle of the agent, due at 0 s", 3},
		{"an end", Run{}.LatenessOf([]FinishedJob{ended(7, workloads.Failed, 170)}), 10, 1,
			"1 of 1 ends of jobs (failed) were off by more than 1 s of virtual time; the worst: the end of job 7 (failed), due at 280 s, came 10 s early.",
			"its clock: the end of job 7 (failed)", 10},
	} {
		run := Run{Settings: Settings{TimeScale: tt.scale}, RealSeconds: tt.real, Lateness: tt.lateness}
		got := strings.Join(run.Lateness.Warnings(), "\n")
		if !strings.HasPrefix(got, tt.warns) || tt.warns == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.warns)
		}
		if d := run.Disturbance(); !strings.HasPrefix(d, tt.disturbed) || run.Quiet() != (tt.disturbed == "") || run.Quiet() != (d == "") {
			t.Errorf("%s: disturbed by %q, quiet %v, want %q", tt.name, d, run.Quiet(), tt.disturbed)
		}
		if l := run.Latest(); l != tt.latest && !math.IsNaN(l+tt.latest) {
			t.Errorf("%s: latest %g, want %g", tt.name, l, tt.latest)
		}
	}
}

// A run can be disturbed by both.
func TestBusyAndLate(t *testing.T) {
	run := jumpRun()
	run.Fidelity.ForeignSeconds, run.Lateness = 200, late(ActionCancel, 20)
	if got := run.Disturbance(); got != "other programs on its core and by its clock: the cancellation of job 1, due at 0 s, came 20 s late" || run.QuietCore() {
		t.Errorf("got %q", got)
	}
}

// An event is named in its own words.
func TestLateEvent(t *testing.T) {
	var l Lateness
	l.Acted(ActionEvent, Late{Most: 2, Event: "drain n1", Due: 60})
	if got := strings.Join(l.Warnings(), "\n"); !strings.Contains(got, `the event "drain n1", due at 60 s, came 2 s late`) {
		t.Errorf("got %q", got)
	}
}

// run.json keeps the lateness, and refuses one that cannot be.
func TestLatenessInRunJSON(t *testing.T) {
	l := Run{Lateness: late(ActionArrival, 0.0005, 1.25)}.LatenessOf([]FinishedJob{ended(3, workloads.Timeout, 240)})
	data, err := json.Marshal(l)
	const want = `{"actions":{"arrival":{"count":2,"over":1,"most_s":1.25,"job":2,"due_s":10}},"ends":{"timeout":{"count":1,"over":1,"most_s":30,"job":3,"due_s":280}}}`
	if err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
	run := jumpRun()
	run.Lateness = l
	var file bytes.Buffer
	if err = EncodeRun(&file, run); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	if read, err := DecodeRun(&file, "run.json"); err != nil || !reflect.DeepEqual(read.Lateness, l) {
		t.Errorf("read %+v, %v, want %+v", read.Lateness, err, l)
	}
	for old, broken := range map[string]string{`"count": 2`: `"count": 0`, `"over": 1`: `"over": 3`, `"arrival"`: `"departure"`, `"most_s": 1.25`: `"most_s": 0.5`} {
		if _, err := DecodeRun(strings.NewReader(strings.Replace(text, old, broken, 1)), "run.json"); err == nil || !strings.Contains(err.Error(), "field lateness.actions.") {
			t.Errorf("%s: %v", broken, err)
		}
	}
}
