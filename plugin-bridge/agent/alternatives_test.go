package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

func TestParseAlternatives(t *testing.T) {
	tests := []struct {
		comment string
		want    []bidding.Alternative
		err     string
	}{
		{"", nil, ""},
		{"my favourite job", nil, ""},
		{"slurmlab alt: -n 16 | -N 4 --ntasks-per-node=2 --gres=gpu:1", []bidding.Alternative{
			{Cores: 16}, {Nodes: 4, CoresPerNode: 2, GPUs: 1, MaxGPUs: 1}}, ""},
		{"slurmlab alt: --ntasks=8 --nodes 2 --gres=gpu:1-3", []bidding.Alternative{{Cores: 8, Nodes: 2, GPUs: 1, MaxGPUs: 3}}, ""},
		{"slurmlab alt: -N 3", []bidding.Alternative{{Cores: 3, Nodes: 3}}, ""},
		{"slurmlab alt: -n 16 |", []bidding.Alternative{{Cores: 16}, {}}, ""},
		{"slurmlab alt: -n", nil, `alternative "-n": -n: got "", allowed a whole number from 1`},
		{"slurmlab alt: -n 4 --ntasks=4", nil, "-n: got it twice"},
		{"slurmlab alt: -n x", nil, `-n: got "x", allowed a whole number`},
		{"slurmlab alt: --gres=gpu:0", nil, "allowed gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX"},
		{"slurmlab alt: --gres=shard:1", nil, "--gres: got shard:1, allowed GPUs without a type"},
		{"slurmlab alt: -c 2", nil, `option: got "-c", allowed -n, -N,`},
	}
	for _, tt := range tests {
		got, err := parseAlternatives(tt.comment)
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %+v, %v, want %+v, %q", tt.comment, got, err, tt.want, tt.err)
		}
	}
}

// A user may write anything: it is read, refused, or found invalid later, and
// never crashes the agent.
func FuzzParseAlternatives(f *testing.F) {
	f.Add("slurmlab alt: -n 16 | -N 4 --ntasks-per-node=2 --gres=gpu:1-3")
	f.Fuzz(func(t *testing.T, comment string) {
		all, err := parseAlternatives(comment)
		if err != nil {
			return
		}
		job := bidding.Job{Cores: 1, Alternatives: all}
		if len(all) != strings.Count(comment, "|")+1 && strings.HasPrefix(comment, alternativesPrefix) {
			t.Errorf("%q: %d alternatives", comment, len(all))
		}
		_ = job.Validate()
	})
}
