package priority_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// "job age factor weight and job size factor weight was taken as equal, and for
// each minute a job spends in the queue, its priority was increased by one"
// (IPSCHED section VI).
func TestLines(t *testing.T) {
	w := priority.IPSCHED()
	if w.Age != w.JobSize || time.Duration(w.Age)*time.Minute != w.MaxAge {
		t.Errorf("%+v: want equal weights, and one for each minute up to the maximal age", w)
	}
	if got, want := priority.Multifactor.Lines(), []string{
		"PriorityWeightAge=10080", "PriorityWeightJobSize=10080", "PriorityMaxAge=10080", "PriorityCalcPeriod=1",
	}; !slices.Equal(got, want) {
		t.Errorf("slurm.conf has %q, want %q", got, want)
	}
	if got, want := priority.SizeByTime.Lines(), []string{
		"PriorityWeightAge=10000000", "PriorityWeightJobSize=1000000000", "PriorityMaxAge=1440", "PriorityCalcPeriod=1",
		"PriorityFlags=SMALL_RELATIVE_TO_TIME",
	}; !slices.Equal(got, want) {
		t.Errorf("slurm.conf has %q, want %q", got, want)
	}
	if got := priority.Basic.Lines(); got != nil {
		t.Errorf("priority/basic has %q, it has no parameters", got)
	}
}

// What squeue of Slurm 24.11.5 showed of pending jobs on 8 nodes of 8 cores with
// these weights, at submission and two minutes later.
func TestSeenOnSlurm(t *testing.T) {
	w, m := priority.IPSCHED(), priority.Machine{Nodes: 8, Cores: 64}
	for _, tt := range []struct {
		request      string
		nodes, cores int
		new, aged    int
		age          time.Duration
	}{
		{"-n 8", 1, 8, 1260, 1261, 96 * time.Second},
		{"-n 9", 1, 9, 1338, 1340, 96 * time.Second},
		{"-n 64", 1, 64, 5670, 5671, 96 * time.Second},
		{"-n 1", 1, 1, 708, 710, 95 * time.Second},
		{"-N 4", 4, 4, 2835, 2836, 96 * time.Second},
		{"-N 4 -n 16", 4, 16, 3780, 3781, 96 * time.Second},
		{"-N 2 --ntasks-per-node=3", 2, 6, 1732, 1734, 95 * time.Second},
		{"-N 3 -n 7", 3, 7, 2441, 2442, 95 * time.Second},
		{"-n 30", 1, 30, 2992, 2994, 95 * time.Second},
	} {
		if got := w.Of(priority.WaitingJob{Nodes: tt.nodes, Cores: tt.cores}, m); got != tt.new {
			t.Errorf("%s: new %d, Slurm has %d", tt.request, got, tt.new)
		}
		if got := w.Of(priority.WaitingJob{Nodes: tt.nodes, Cores: tt.cores, Age: tt.age}, m); got != tt.aged {
			t.Errorf("%s: after %v %d, Slurm has %d", tt.request, tt.age, got, tt.aged)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, good := range priority.Types() {
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
	}
	const want = `priority: "fifo" is not allowed, want basic, multifactor or size-by-time`
	if err := priority.Type("fifo").Validate(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A priority is never 0, Slurm's sign of a held job. It grows with age and size: by one a minute until the maximal
// age, to the rounding of two sums.
func TestProperties(t *testing.T) {
	w := priority.IPSCHED()
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 2000).Draw(t, "nodes")
		m := priority.Machine{Nodes: nodes, Cores: nodes * rapid.IntRange(1, 128).Draw(t, "cores of a node")}
		j := priority.WaitingJob{
			Age:   time.Duration(rapid.Int64Range(-5, 700_000).Draw(t, "age, s")) * time.Second,
			Nodes: rapid.IntRange(1, m.Nodes).Draw(t, "job's nodes"), Cores: rapid.IntRange(1, m.Cores).Draw(t, "job's cores"),
		}
		p := w.Of(j, m)
		if p < 1 || p > w.Max() {
			t.Fatalf("%+v has priority %d", j, p)
		}
		larger, older := j, j
		larger.Cores += rapid.IntRange(0, m.Cores).Draw(t, "more cores")
		larger.Nodes += rapid.IntRange(0, m.Nodes).Draw(t, "more nodes")
		if q := w.Of(larger, m); q < p || q > w.Max() {
			t.Fatalf("%+v has priority %d, the smaller %+v %d", larger, q, j, p)
		}
		minutes := rapid.IntRange(0, w.Age).Draw(t, "minutes")
		older.Age += time.Duration(minutes) * time.Minute
		gained := w.Of(older, m) - p
		if j.Age >= 0 && older.Age <= w.MaxAge && (gained < minutes-1 || gained > minutes+1) {
			t.Fatalf("%d minutes are worth %d", minutes, gained)
		}
		if older.Age >= w.MaxAge && w.Of(older, m) != w.Of(priority.WaitingJob{Age: w.MaxAge, Nodes: j.Nodes, Cores: j.Cores}, m) {
			t.Fatalf("beyond the maximal age %+v has another priority", older)
		}
	})
}

// PriorityFlags=SMALL_RELATIVE_TO_TIME: "the job's size component will be based upon not the job size alone, but the
// job's size divided by its time limit". PriorityFavorSmall: "the smaller the job, the greater its job size priority"
// (slurm.conf(5)).
func TestSizeFactor(t *testing.T) {
	m := priority.Machine{Nodes: 8, Cores: 64}
	short := priority.WaitingJob{Nodes: 4, Cores: 32, Limit: 10 * time.Minute}
	long := priority.WaitingJob{Nodes: 8, Cores: 64, Limit: time.Hour}
	for _, tt := range []struct {
		weights     priority.Weights
		short, long int
	}{
		{priority.Weights{JobSize: 6000, MaxAge: time.Hour}, 3000, 6000},
		{priority.Weights{JobSize: 6000, MaxAge: time.Hour, FavorSmall: true}, 3000, 1},
		{priority.Weights{JobSize: 6000, MaxAge: time.Hour, RelativeToTime: true}, 300, 100},
	} {
		if s, l := tt.weights.Of(short, m), tt.weights.Of(long, m); s != tt.short || l != tt.long {
			t.Errorf("%+v: %d and %d, want %d and %d", tt.weights, s, l, tt.short, tt.long)
		}
	}
}

// What run.json has of a type names it again; a run from before the lines were recorded
// had IPSCHED's weights, the only ones then.
func TestRecorded(t *testing.T) {
	for _, want := range priority.Types() {
		if got, known := priority.Recorded(want.Plugin(), strings.Join(want.Lines(), ",")); got != want || !known {
			t.Errorf("%s: got %q, %t", want, got, known)
		}
	}
	if got, known := priority.Recorded("priority/multifactor", ""); got != priority.Multifactor || !known {
		t.Errorf("without lines: got %q, %t", got, known)
	}
	for _, tt := range [][2]string{{"priority/site", ""}, {"priority/multifactor", "PriorityWeightAge=1"}, {"priority/basic", "PriorityWeightAge=1"}} {
		if got, known := priority.Recorded(tt[0], tt[1]); known {
			t.Errorf("%s: got %q, want none", tt, got)
		}
	}
}
