package sbatch_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// shape has the options that say on how many nodes, cores and GPUs a job runs.
func shape() []string {
	return []string{"-n", "-N", "--ntasks-per-node", "--gres", "-t", "--contiguous"}
}

func TestParseOptions(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   sbatch.Request
		faults string
	}{
		{"", sbatch.Request{}, ""},
		{"-n 4 -N 2", sbatch.Request{Tasks: 4, Nodes: 2}, ""},
		{"-n4 -N2", sbatch.Request{Tasks: 4, Nodes: 2}, ""},
		{"--ntasks=4 --nodes 2 --time=1:30:00", sbatch.Request{Tasks: 4, Nodes: 2, TimeLimit: 90 * time.Minute}, ""},
		{"-N 4 --ntasks-per-node=2 --gres=gpu:1-3 --contiguous",
			sbatch.Request{Nodes: 4, TasksPerNode: 2, GPUsMin: 1, GPUsMax: 3, Contiguous: true}, ""},
		{"--gres gpu:2", sbatch.Request{GPUsMin: 2, GPUsMax: 2}, ""},
		{"-n", sbatch.Request{}, `-n: got "", allowed a whole number from 1, no range`},
		{"-N 2-4", sbatch.Request{Nodes: 2, NodesMax: 4}, ""},
		{"-N 2-2", sbatch.Request{Nodes: 2}, ""},
		{"-N 4-2", sbatch.Request{Nodes: 4, NodesMax: 2}, `-N: got "4-2", allowed a whole number from 1, or a range of them such as 2-4`},
		{"-n 0 -n 4", sbatch.Request{Tasks: 4}, "-n: got \"0\", allowed a whole number from 1, no range\n-n: got it twice, allowed once"},
		{"-n 4 --ntasks=4", sbatch.Request{Tasks: 4}, "-n: got it twice, allowed once"},
		{"-n 12345678901", sbatch.Request{}, `-n: got "12345678901", allowed a whole number from 1, no range`},
		{"--gres=gpu:0", sbatch.Request{}, `--gres: got "gpu:0", allowed gpu:COUNT or gpu:MIN-MAX, from 1`},
		{"--gres=shard:1", sbatch.Request{}, `--gres: got "shard:1", allowed gpu:COUNT or gpu:MIN-MAX, from 1`},
		{"-t 0", sbatch.Request{}, `-t: got "0", allowed a Slurm time from 1 minute, like 10, 1:30:00 or 1-12`},
		{"--contiguous=yes", sbatch.Request{Contiguous: true}, `--contiguous: got "yes", allowed no value`},
		{"-c 2", sbatch.Request{}, "option: got \"-c\", allowed these\noption: got \"2\", allowed these"},
		{"-H", sbatch.Request{}, `option: got "-H", allowed these`},
	} {
		got, faults := sbatch.ParseOptions(strings.Fields(c.text), "these", shape()...)
		var texts []string
		for _, f := range faults {
			texts = append(texts, f.Error())
		}
		if !reflect.DeepEqual(got, c.want) || strings.Join(texts, "\n") != c.faults {
			t.Errorf("%q: %+v, %q, want %+v, %q", c.text, got, texts, c.want, c.faults)
		}
	}
}

// What Argv writes, ParseCommand reads.
func TestParseCommandUndoesArgv(t *testing.T) {
	count := func(t *rapid.T, most int, name string) int { return rapid.IntRange(0, most).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		r := sbatch.Request{
			Name: rapid.StringMatching(`[A-Za-z0-9._+][A-Za-z0-9._+-]{0,20}`).Draw(t, "name"), Tasks: 1 + count(t, 5000, "tasks"),
			GPUsMax: count(t, 4, "GPUs"), Contiguous: rapid.Bool().Draw(t, "contiguous"), Hold: rapid.Bool().Draw(t, "hold"),
			Account:   rapid.SampledFrom([]string{"", "alice", "b-2"}).Draw(t, "account"),
			TimeLimit: time.Duration(1+count(t, 100000, "limit")) * time.Minute,
			After:     rapid.SliceOfN(rapid.IntRange(1, 99999), 0, 3).Draw(t, "after"), Path: "/opt/job",
			Args: rapid.SliceOfN(rapid.SampledFrom([]string{"-n", "a b", ""}), 0, 3).Draw(t, "arguments"),
		}
		r.Nodes, r.TasksPerNode = count(t, r.Tasks, "nodes"), count(t, r.Tasks, "per node")
		r.GPUsMin = min(r.GPUsMax, 1+count(t, 3, "least GPUs"))
		if rapid.Bool().Draw(t, "begins") {
			r.Begin = time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "begin"), 0).UTC()
		}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if len(r.After) == 0 {
			r.After = nil
		}
		got, faults := sbatch.ParseCommand(r.Argv()[1:])
		if len(got.Args) == 0 {
			got.Args = r.Args
		}
		if len(faults) > 0 || !reflect.DeepEqual(got, r) {
			t.Fatalf("%q: %+v, %v, want %+v", r.Argv(), got, faults, r)
		}
	})
}

func TestParseAfter(t *testing.T) {
	for _, bad := range []string{"", "after", "after:", "after:x", "after:0", "afterany:7", "after:7:"} {
		if got, err := sbatch.ParseAfter(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, got)
		}
	}
}

// Whatever people write is a request with counts that make sense, or faults that
// say where.
func FuzzParseOptions(f *testing.F) {
	f.Add("-n 4 -N2 --ntasks-per-node 3 --gres gpu:1-3 --contiguous -t 1-2:3:4")
	f.Add("-n --gres=")
	f.Fuzz(func(t *testing.T, text string) {
		r, faults := sbatch.ParseOptions(strings.Fields(text), "these", shape()...)
		for _, fault := range faults {
			if fault.Option == "" || fault.Want == "" {
				t.Errorf("%+v", fault)
			}
		}
		if r.Tasks < 0 || r.Nodes < 0 || r.TasksPerNode < 0 || r.GPUsMin < 0 || r.GPUsMax < 0 || r.TimeLimit < 0 {
			t.Errorf("%+v", r)
		}
	})
}
