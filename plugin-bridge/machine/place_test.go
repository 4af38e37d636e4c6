package machine_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestPlace holds what a real Slurm 24.11.5 did, one row an experiment.
func TestPlace(t *testing.T) {
	tests := []struct {
		request machine.Request
		free    []int
		want    string
	}{
		{machine.Request{Tasks: 16}, []int{4, 12, 12}, "4,11,1"},
		{machine.Request{Tasks: 16, MinCores: 4}, []int{4, 12, 12}, "4,8,4"},
		{machine.Request{Tasks: 16, MinCores: 5}, []int{12, 12, 12}, "6,5(x2)"},
		{machine.Request{Tasks: 16, MinCores: 4}, []int{12, 12, 12}, "8,4(x2)"},
		{machine.Request{Tasks: 12, TasksPerNode: 4}, []int{12, 12, 12}, "4(x3)"},
		{machine.Request{Tasks: 30}, []int{12, 12, 12}, "12(x2),6"},
		{machine.Request{Tasks: 4096, MinCores: 4}, slices.Repeat([]int{12}, 1024), "4(x1024)"},
	}
	for _, tt := range tests {
		got, err := machine.Place(tt.free, tt.request)
		if err != nil || machine.RunLength(got) != tt.want {
			t.Errorf("Place(%s, %+v) = %s, %v; want %s", machine.RunLength(tt.free), tt.request, machine.RunLength(got), err, tt.want)
		}
	}
}

func TestPlaceRefuses(t *testing.T) {
	tests := []struct {
		name    string
		request machine.Request
		free    []int
		want    string
	}{
		{"no nodes", machine.Request{Tasks: 1}, nil, "no nodes"},
		{"a node without a task", machine.Request{Tasks: 2}, []int{4, 4, 4}, "fewer than the 3 nodes"},
		{"a full node", machine.Request{Tasks: 8}, []int{8, 0}, "node 2 of the list has 0 free cores of 1 needed"},
		{"too few cores", machine.Request{Tasks: 9}, []int{4, 4}, "too few free cores"},
		{"a node below the minimum", machine.Request{Tasks: 9, MinCores: 4}, []int{8, 3}, "node 2 of the list has 3 free cores of 4 needed"},
		{"a minimum above the tasks", machine.Request{Tasks: 16, MinCores: 6}, []int{12, 12, 12}, "raise the job to 18"},
		{"uneven tasks per node", machine.Request{Tasks: 9, TasksPerNode: 4}, []int{8, 8}, "hold 8"},
		{"tasks per node on a busy node", machine.Request{Tasks: 8, TasksPerNode: 4}, []int{8, 3}, "3 free cores of 4 needed"},
		{"both options", machine.Request{Tasks: 8, TasksPerNode: 4, MinCores: 4}, []int{8, 8}, "both tasks per node 4 and minimum cores 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := machine.Place(tt.free, tt.request)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Place = %v, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

// literalRule is the placement rule as it is written down, step by step.
func literalRule(free []int, n, m int) []int {
	k, left := len(free), n
	limits := make([]int, k)
	for j := 1; j <= k; j++ {
		f, most := free[j-1], left-(k-j)
		if f <= most {
			limits[j-1] = f
		} else {
			limits[j-1] = max(most, m)
		}
		left -= limits[j-1]
	}
	cores := make([]int, k)
	for placed := 0; placed < n; {
		before := placed
		for j := range cores {
			if cores[j] < limits[j] && placed < n {
				cores[j]++
				placed++
			}
		}
		if placed == before {
			return nil
		}
	}
	return cores
}

func drawRequest(t *rapid.T, free []int) machine.Request {
	sum := 0
	for _, f := range free {
		sum += f
	}
	k := len(free)
	r := machine.Request{Tasks: auctiontest.Between(k, max(k, sum)).Draw(t, "tasks")}
	switch auctiontest.Between(0, 2).Draw(t, "kind") {
	case 1:
		r.MinCores = rapid.SampledFrom([]int{1, r.Tasks / k, max(1, r.Tasks/k-1)}).Draw(t, "minCores")
	case 2:
		r.TasksPerNode = max(1, r.Tasks/k)
		r.Tasks = r.TasksPerNode * k
	}
	return r
}

// TestPlaceProperties: the result is the literal rule's, no node gives more
// than it has, and every node gives at least one core.
func TestPlaceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		free := rapid.SliceOfN(auctiontest.Between(1, 12), 1, 8).Draw(t, "free")
		r := drawRequest(t, free)
		got, err := machine.Place(free, r)
		if err != nil {
			if r.TasksPerNode == 0 && r.MinCores <= slices.Min(free) && literalRule(free, r.Tasks, max(1, r.MinCores)) != nil {
				t.Fatalf("Place(%v, %+v): %v, but the rule places it", free, r, err)
			}
			return
		}
		sum := 0
		for j, c := range got {
			sum += c
			if c < max(1, r.MinCores) || c > free[j] {
				t.Fatalf("Place(%v, %+v) = %v takes %d cores from node %d", free, r, got, c, j+1)
			}
		}
		if sum != r.Tasks {
			t.Fatalf("Place(%v, %+v) = %v places %d tasks", free, r, got, sum)
		}
		if r.TasksPerNode == 0 {
			if want := literalRule(free, r.Tasks, max(1, r.MinCores)); !slices.Equal(got, want) {
				t.Fatalf("Place(%v, %+v) = %v, the rule gives %v", free, r, got, want)
			}
		}
	})
}

func TestStable(t *testing.T) {
	twelve := []int{12, 12, 12}
	tests := []struct {
		name        string
		free, total []int
		request     machine.Request
		want        bool
	}{
		{"uniform on partly busy nodes", []int{4, 6, 12}, twelve, machine.Request{Tasks: 12, TasksPerNode: 4}, true},
		{"packed on idle nodes", twelve, twelve, machine.Request{Tasks: 30}, true},
		{"packed on a partly busy first node", []int{4, 12, 12}, twelve, machine.Request{Tasks: 16}, false},
		{"packed, the last node's rest is never needed", []int{12, 12, 7}, twelve, machine.Request{Tasks: 30}, true},
		{"packed, the last node just suffices", []int{12, 12, 6}, twelve, machine.Request{Tasks: 30}, true},
		{"balanced on partly busy nodes", []int{6, 5, 5}, twelve, machine.Request{Tasks: 16, MinCores: 5}, true},
		{"balanced, but the first node has no room for the rest", []int{5, 6, 6}, twelve, machine.Request{Tasks: 16, MinCores: 5}, false},
		{"two left over, but the cap of the second node is the minimum", []int{6, 6, 6}, twelve, machine.Request{Tasks: 17, MinCores: 5}, false},
		{"does not fit at all", []int{1, 1, 1}, twelve, machine.Request{Tasks: 16}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := machine.Stable(tt.free, tt.total, tt.request); got != tt.want {
				t.Errorf("Stable(%v, %v, %+v) = %v", tt.free, tt.total, tt.request, got)
			}
		})
	}
}

// TestStableMeansStable tries every state between free and total.
func TestStableMeansStable(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		k := auctiontest.Between(1, 4).Draw(t, "nodes")
		free, total := make([]int, k), make([]int, k)
		for j := range free {
			free[j] = auctiontest.Between(1, 8).Draw(t, "free")
			total[j] = auctiontest.Between(free[j], min(8, free[j]+4)).Draw(t, "total")
		}
		r := drawRequest(t, free)
		if !machine.Stable(free, total, r) {
			return
		}
		accepted++
		want, err := machine.Place(free, r)
		if err != nil {
			t.Fatalf("stable but not possible: %v", err)
		}
		state := slices.Clone(free)
		for {
			if got, err := machine.Place(state, r); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%+v is %v on %v but %v (%v) on %v, total %v", r, want, free, got, err, state, total)
			}
			j := 0
			for ; j < k && state[j] == total[j]; j++ {
				state[j] = free[j]
			}
			if j == k {
				return
			}
			state[j]++
		}
	})
	if accepted == 0 {
		t.Error("no stable layout was generated")
	}
}
