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
	return []string{"-n", "-N", "--ntasks-per-node", "--gres", "-t", "--contiguous", "-p", "--mem", "--mem-per-cpu", "-C", "--exclusive"}
}

func TestParser(t *testing.T) {
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
		{"--gres=gpu:0", sbatch.Request{}, `--gres: got "gpu:0", allowed gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX, shard:COUNT or mps:COUNT, from 1`},
		{"--gres=shard:3", sbatch.Request{Options: sbatch.Options{Shards: 3}}, ""},
		{"--gres=mps:50", sbatch.Request{Options: sbatch.Options{MPS: 50}}, ""},
		{"--gres=nic:1", sbatch.Request{}, `--gres: got "nic:1", allowed gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX, shard:COUNT or mps:COUNT, from 1`},
		{"-p gpu --mem=4G -C ib&big --exclusive --gres=gpu:a100:2",
			sbatch.Request{Options: sbatch.Options{Partition: "gpu", MemPerNode: 4096, Features: "ib&big", Exclusive: true, GPUType: "a100"}, GPUsMin: 2, GPUsMax: 2}, ""},
		{"--partition=a --mem-per-cpu 1500 --constraint a|b", sbatch.Request{Options: sbatch.Options{Partition: "a", MemPerCPU: 1500, Features: "a|b"}}, ""},
		{"--mem=1025K --mem-per-cpu=1t", sbatch.Request{Options: sbatch.Options{MemPerNode: 2, MemPerCPU: 1 << 20}}, ""},
		{"--mem=0", sbatch.Request{}, `--mem: got "0", allowed a whole number of MiB from 1, or one with K, M, G or T`},
		{"--mem=1.5G", sbatch.Request{}, `--mem: got "1.5G", allowed a whole number of MiB from 1, or one with K, M, G or T`},
		{"--mem=4GB", sbatch.Request{}, `--mem: got "4GB", allowed a whole number of MiB from 1, or one with K, M, G or T`},
		{"--mem=65T", sbatch.Request{}, `--mem: got "65T", allowed up to 64T`},
		{"-p a,b", sbatch.Request{Options: sbatch.Options{Partition: "a&b"}}, ""},
		{"-p a,b,a", sbatch.Request{Options: sbatch.Options{Partition: "a&b&a"}}, `-p: got "a,b,a", allowed names of partitions with commas between them, each once`},
		{"-C [a|b]", sbatch.Request{Options: sbatch.Options{Features: "[a|b]"}}, `-C: got "[a|b]", allowed features joined by & or by |`},
		{"--exclusive=user", sbatch.Request{Options: sbatch.Options{Exclusive: true}}, `--exclusive: got "user", allowed no value`},
		{"--gres=gpu:a100:1-2", sbatch.Request{}, `--gres: got "gpu:a100:1-2", allowed gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX, shard:COUNT or mps:COUNT, from 1`},
		{"-t 0", sbatch.Request{}, `-t: got "0", allowed a Slurm time from 1 minute, like 10, 1:30:00 or 1-12`},
		{"--contiguous=yes", sbatch.Request{Contiguous: true}, `--contiguous: got "yes", allowed no value`},
		{"-c 2", sbatch.Request{}, "option: got \"-c\", allowed these\noption: got \"2\", allowed these"},
		{"-H", sbatch.Request{}, `option: got "-H", allowed these`},
	} {
		got, faults := sbatch.NewParser("these", shape()...).Parse(strings.Fields(c.text))
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
			CPUsPerTask: count(t, 8, "CPUs"), Output: rapid.SampledFrom([]string{"", "/tmp/%j.out"}).Draw(t, "output"),
			Terms:     sbatch.Terms{Account: rapid.SampledFrom([]string{"", "alice", "b-2"}).Draw(t, "account")},
			TimeLimit: time.Duration(1+count(t, 100000, "limit")) * time.Minute,
			After:     rapid.SliceOfN(rapid.IntRange(1, 99999), 0, 3).Draw(t, "after"), Path: "/opt/job",
			Args: rapid.SliceOfN(rapid.SampledFrom([]string{"-n", "a b", ""}), 0, 3).Draw(t, "arguments"),
		}
		r.Nodes, r.TasksPerNode = count(t, r.Tasks, "nodes"), count(t, r.Tasks, "per node")
		r.GPUsMin = min(r.GPUsMax, 1+count(t, 3, "least GPUs"))
		r.Partition = rapid.SampledFrom([]string{"", "gpu", "b-2"}).Draw(t, "partition")
		r.Features = rapid.SampledFrom([]string{"", "ib", "ib&big", "a|b.c"}).Draw(t, "features")
		r.Exclusive = rapid.Bool().Draw(t, "exclusive")
		if memory := count(t, 1<<26, "memory"); rapid.Bool().Draw(t, "per CPU") {
			r.MemPerCPU = memory
		} else {
			r.MemPerNode = memory
		}
		if r.GPUsMax > 0 && r.GPUsMin == r.GPUsMax {
			r.GPUType = rapid.SampledFrom([]string{"", "a100"}).Draw(t, "type of GPUs")
		}
		if n := count(t, 1<<20, "priority or nice value"); rapid.Bool().Draw(t, "nice") {
			r.Nice = n - 1<<19
		} else {
			r.Priority = n
		}
		r.Dependency = rapid.SampledFrom([]string{"", "afterok:7", "after:12"}).Draw(t, "dependency")
		if len(r.After) == 0 && strings.HasPrefix(r.Dependency, "after:") {
			// Alone it reads as After, which says the same.
			r.Dependency = ""
		}
		r.QOS = rapid.SampledFrom([]string{"", "debug"}).Draw(t, "QOS")
		r.Reservation = rapid.SampledFrom([]string{"", "course"}).Draw(t, "reservation")
		r.Licenses = rapid.SampledFrom([]string{"", "matlab:2&ansys:1"}).Draw(t, "licences")
		r.NodeList = rapid.SampledFrom([]string{"", "n[1-3&7]"}).Draw(t, "nodes by name")
		r.User = rapid.SampledFrom([]string{"", "eve"}).Draw(t, "user")
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
func FuzzParser(f *testing.F) {
	f.Add("-n 4 -N2 --ntasks-per-node 3 --gres gpu:1-3 --contiguous -t 1-2:3:4")
	f.Add("-n --gres=")
	f.Add("-p x --mem=4G --mem-per-cpu=7k -C a&b --exclusive --gres=gpu:a:1")
	f.Fuzz(func(t *testing.T, text string) {
		r, faults := sbatch.NewParser("these", shape()...).Parse(strings.Fields(text))
		for _, fault := range faults {
			if fault.Option == "" || fault.Want == "" {
				t.Errorf("%+v", fault)
			}
		}
		if r.Tasks < 0 || r.Nodes < 0 || r.TasksPerNode < 0 || r.GPUsMin < 0 || r.GPUsMax < 0 || r.TimeLimit < 0 || r.MemPerNode < 0 || r.MemPerCPU < 0 {
			t.Errorf("%+v", r)
		}
	})
}
