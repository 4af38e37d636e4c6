package djsb

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// lending is a sample with two analytics that the simulation lends 2 of its 4 cores, as DJSB
// figure 2 has it. That the second one is gone was not seen before the sample was over.
func lending() Trial {
	return Trial{Scenario: djsbconfig.ScenarioCooperative, NumOfDynAnalysis: 2, Number: 1, Sample: Sample{
		Simulation: Times{Start: 0, End: 100}, Analyses: []Times{{Submit: 20, Start: 20, End: 40}, {Submit: 60, Start: 61, End: 80}},
		Phases: []Phase{{At: 0, Cores: 4}, {At: 20, Cores: 2}, {At: 20, Analysis: 1, Cores: 2}, {At: 40, Analysis: 1}, {At: 40, Cores: 4}, {At: 61, Cores: 2}, {At: 61, Analysis: 2, Cores: 2}},
	}}
}

func TestStackOf(t *testing.T) {
	s := stackOf(lending())
	if want := []metric.Point{{T: 0, V: 4}, {T: 20, V: 2}, {T: 40, V: 4}, {T: 61, V: 2}, {T: 100}}; !slices.Equal(s.Parts[0], want) {
		t.Errorf("simulation: got %v, want %v", s.Parts[0], want)
	}
	// At 40 s its payload and Slurm both say that the first one is over.
	if want := []metric.Point{{T: 20, V: 2}, {T: 40}, {T: 61, V: 2}, {T: 80}}; !slices.Equal(slices.Compact(s.Parts[1]), want) {
		t.Errorf("analytics: got %v, want %v", s.Parts[1], want)
	}
	if !slices.Equal(s.Marks, []float64{20, 60}) {
		t.Errorf("submissions: got %v", s.Marks)
	}
}

// Of each scenario the sample with the most analytics is drawn, and none that failed.
func TestDrawTimeline(t *testing.T) {
	c := djsbconfig.BuiltinDJSB()[0]
	few, failed := lending(), lending()
	few.Analyses, few.NumOfDynAnalysis = few.Analyses[:1], 1
	failed.NumOfDynAnalysis, failed.Failed = 6, "job 3 failed"
	r := Results{Record: Record{Config: c}, Trials: []Trial{few, lending(), failed}}
	var out bytes.Buffer
	if err := r.DrawTimeline(&out); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{">cooperative-dynamic<": 1, "sample 1, 2 analytics": 1, ">oversubscription<": 0} {
		if got := strings.Count(out.String(), text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
	r.Trials = []Trial{failed}
	if err := r.DrawTimeline(io.Discard); !errors.Is(err, ErrNoPhases) {
		t.Errorf("got %v", err)
	}
}
