package profile

import (
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
)

func TestSummarise(t *testing.T) {
	got := Summarise(workloads.Machine{Name: "x", Nodes: 10, Cores: 8, GPUs: 3}, []workloads.Job{
		{ID: 1, Runtime: 100, Limit: 200, Nodes: 2, Cores: 8, GPUsMin: 1, GPUsMax: 3, Class: "g", Contiguous: true, User: "eve"},
		{ID: 2, Arrival: 30, Runtime: 300, Limit: 300, Nodes: 4, Cores: 8, GPUsMin: 2, GPUsMax: 2, Class: "g", User: "eve"},
		{ID: 3, Arrival: 20, Runtime: 200, Limit: 600, Cores: 64, Class: "a"},
	})
	want := Summary{Jobs: 3, Theoretical: 200, LastArrival: 30, Users: 1, Classes: []ClassSummary{
		{Class: "a", Jobs: 1, Cores: Range{64, 64, 64}, Runtime: Range{200, 200, 200}, LimitRatio: 3, Work: 0.8},
		{Class: "g", Jobs: 2, Contiguous: 1, Cores: Range{8, 8, 8}, Nodes: Range{2, 4, 3}, GPUs: Range{1, 3, 1.5},
			Runtime: Range{100, 300, 200}, LimitRatio: 1.5, Work: 0.05 + 0.15},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
