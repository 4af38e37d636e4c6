package plot

import (
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Two jobs with half of a node each share its part of the axis. A job with whole nodes has a part for each block of
// them, and one that never started has none.
func TestBars(t *testing.T) {
	m := workloads.Machine{Name: "four", Nodes: 4, Cores: 4, GPUs: 1}
	job := func(id int, state string, cores, gpus int, nodes ...int) trace.FinishedJob {
		return trace.FinishedJob{Job: workloads.Job{ID: id}, State: state, Start: 1, Finish: 5, Allocated: nodes, AllocCores: cores, AllocGPUs: gpus}
	}
	never := job(5, "CANCELLED", 0, 0)
	never.Start = trace.NeverStarted
	bars, err := Bars(Schedule{Name: "x", Machine: m, Jobs: []trace.FinishedJob{
		job(1, "COMPLETED", 2, 0, 0), job(2, "COMPLETED", 2, 1, 0), job(3, "COMPLETED", 8, 0, 1, 3), job(4, "FAILED", 4, 0, 2), never,
	}})
	if err != nil {
		t.Fatal(err)
	}
	var rects [][][2]float64
	for _, b := range bars {
		rects = append(rects, b.Rects)
	}
	want := [][][2]float64{{{0, 0.5}}, {{0.5, 1}}, {{1, 2}, {3, 4}}, {{2, 3}}, nil}
	if !reflect.DeepEqual(rects, want) {
		t.Errorf("got %v\nwant %v", rects, want)
	}
	var family []string
	for _, b := range bars {
		left := b.Colour
		for _, f := range Palette() {
			if left >= 0 && left < len(f.Colours) {
				family = append(family, f.Label)
			}
			left -= len(f.Colours)
		}
	}
	if want := []string{"CPU jobs", "GPU jobs", "CPU jobs", "not completed", "not completed"}; !reflect.DeepEqual(family, want) {
		t.Errorf("families %q, want %q", family, want)
	}
	if bars[0].Colour == bars[2].Colour {
		t.Error("jobs 1 and 3 touch and have one colour")
	}
	if _, err := Bars(Schedule{Machine: m, Jobs: []trace.FinishedJob{job(1, "COMPLETED", 1, 0, 4)}}); err == nil {
		t.Error("a job outside the machine was laid out")
	}
}
