package bidding_test

import (
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Bids are for one number of nodes each (AUCSCHED Table 1: "-N number of nodes"), so a
// range becomes the least number that holds the cores; what a program chooses among
// stays.
func TestNarrow(t *testing.T) {
	nodes := machine.IdleNodes(4, 8, 3)
	open := bidding.Job{Cores: 24, Nodes: 2, MaxNodes: 4, GPUs: 1, MaxGPUs: 3, Alternatives: []bidding.Alternative{{Cores: 8}}}
	named := bidding.JobOptions{Required: []int{0, 1, 3}}
	for _, tt := range []struct {
		name    string
		choices bidding.Choices
		job     bidding.Job
		want    bidding.Job
		lost    string
	}{
		{"nothing chosen", bidding.Choices{}, open, bidding.Job{Cores: 24, Nodes: 3, GPUs: 1},
			"its first request counts, its 1 further ones do not; of 2 to 4 nodes it gets 3; of 1 to 3 GPUs a node it gets 1"},
		{"all chosen", bidding.Choices{Nodes: true, GPUs: true, Alternatives: true}, open, open, ""},
		{"nodes chosen", bidding.Choices{Nodes: true}, open, bidding.Job{Cores: 24, Nodes: 2, MaxNodes: 4, GPUs: 1},
			"its first request counts, its 1 further ones do not; of 1 to 3 GPUs a node it gets 1"},
		{"nothing open", bidding.Choices{}, bidding.Job{Cores: 8, Nodes: 1}, bidding.Job{Cores: 8, Nodes: 1}, ""},
		{"nodes named", bidding.Choices{}, bidding.Job{Cores: 8, Nodes: 1, MaxNodes: 4, Options: named}, bidding.Job{Cores: 8, Nodes: 3, Options: named}, "of 1 to 4 nodes it gets 3"},
		{"more cores than the range has", bidding.Choices{}, bidding.Job{Cores: 99, Nodes: 2, MaxNodes: 4}, bidding.Job{Cores: 99, Nodes: 4}, "of 2 to 4 nodes it gets 4"},
	} {
		if got, lost := tt.choices.Narrow(tt.job, nodes); !reflect.DeepEqual(got, tt.want) || lost != tt.lost {
			t.Errorf("%s: %+v, %q\nwant %+v, %q", tt.name, got, lost, tt.want, tt.lost)
		}
	}
}
