package workloads

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// textOptions are the options of a line, as a message lists them. A test of package sbatch holds them.
func textOptions() string {
	_, faults := sbatch.LineParser().Parse([]string{"--none"})
	return faults[0].Want
}

func TestParseText(t *testing.T) {
	const text = `# run time, then sbatch options
459 -n 7476
124 -n 1048 -N 262 --ntasks-per-node=4   # a node job

520 -n 3872 -N 484 --ntasks-per-node=8 --gres=gpu:2 --contiguous
60 -t 2 -N4 --ntasks-per-node 3 --gres gpu:1-3
	90 --time=0-1 --nodes=5
61 --nodes=2 --ntasks=7 -t1:30
60 -n 24 -N 2-4 -t 2
300 -n 40 --partition=gpu --mem=4G -C ib --exclusive --gres=gpu:a100:2 -t 5
300 -n 4 -p batch --mem-per-cpu=1500 --constraint=ib&big -t 5
`
	got, lines, err := parseText("w.txt", []byte(strings.ReplaceAll(text, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	// Without -t: 1.5 * run time + 2 min, in whole minutes.
	want := []Job{
		{ID: 1, Runtime: 459, Limit: 840, Cores: 7476, Class: "type1"},
		{ID: 2, Runtime: 124, Limit: 360, Nodes: 262, Cores: 1048, CoresPerNode: 4, Class: "type3"},
		{ID: 3, Runtime: 520, Limit: 900, Nodes: 484, Cores: 3872, CoresPerNode: 8, GPUsMin: 2, GPUsMax: 2, Contiguous: true, Class: "gpu2"},
		{ID: 4, Runtime: 60, Limit: 120, Nodes: 4, Cores: 12, CoresPerNode: 3, GPUsMin: 1, GPUsMax: 3, Class: "gpu1-3"},
		{ID: 5, Runtime: 90, Limit: 3600, Nodes: 5, Cores: 5, Class: "type2"},
		{ID: 6, Runtime: 61, Limit: 120, Nodes: 2, Cores: 7, Class: "type2"},
		{ID: 7, Runtime: 60, Limit: 120, Nodes: 2, NodesMax: 4, Cores: 24, Class: "type2"},
		{ID: 8, Runtime: 300, Limit: 300, Cores: 40, GPUsMin: 2, GPUsMax: 2, Class: "gpu2",
			Options: Options{Partition: "gpu", MemPerNode: 4096, Features: "ib", GPUType: "a100", Exclusive: true}},
		{ID: 9, Runtime: 300, Limit: 300, Cores: 4, Class: "type1", Options: Options{Partition: "batch", MemPerCPU: 1500, Features: "ib&big"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if wantLines := []int{2, 3, 5, 6, 7, 8, 9, 10, 11}; !reflect.DeepEqual(lines, wantLines) {
		t.Errorf("got lines %v, want %v", lines, wantLines)
	}
}

func TestBadText(t *testing.T) {
	for _, tc := range []struct{ name, content, want string }{
		{"all faults with their lines", `-n 4
60 -n four -N 0 --ntasks-per-node=
60 -n 4 --gres=gpu --mem=4GB
60 -n 4 --gres=gpu:0 --contiguous=yes -t 0
60 -n 4 -n 5 -t
60 -n 4 -t 1:2:3:4
60 -n -N 4
600 -n 4 -t 5
60 -n 9 -N 2 --ntasks-per-node=4
`, `w.txt:1: run time: got "-n", allowed whole seconds as the first word, from 1
w.txt:1: option: got "4", allowed ` + textOptions() + `
w.txt:2: -n: got "four", allowed a whole number from 1, no range
w.txt:2: -N: got "0", allowed a whole number from 1, or a range of them such as 2-4
w.txt:2: --ntasks-per-node: got "", allowed a whole number from 1, no range
w.txt:3: --gres: got "gpu", allowed gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX, shard:COUNT or mps:COUNT, from 1
w.txt:3: --mem: got "4GB", allowed a whole number of MiB from 1, or one with K, M, G or T
w.txt:4: --gres: got "gpu:0", allowed gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX, shard:COUNT or mps:COUNT, from 1
w.txt:4: --contiguous: got "yes", allowed no value
w.txt:4: -t: got "0", allowed a Slurm time from 1 minute, like 10, 1:30:00 or 1-12
w.txt:5: -n: got it twice, allowed once
w.txt:5: -t: got "", allowed a Slurm time from 1 minute, like 10, 1:30:00 or 1-12
w.txt:6: -t: got "1:2:3:4", allowed a Slurm time from 1 minute, like 10, 1:30:00 or 1-12
w.txt:7: -n: got "", allowed a whole number from 1, no range
w.txt:8: job 8: limit_s: got 300, allowed runtime_s=600..31536000
w.txt:9: job 9: cores: got 9, allowed nodes*cores_per_node=8`},
		{"a GPU range upside down", "60 -N 4 --gres=gpu:3-2\n", "w.txt:1: job 1: gpus_min: got 3, allowed 1..gpus_max=2"},
		{"no range of nodes", "60 -n 4 -N 4-2\n", `w.txt:1: -N: got "4-2", allowed a whole number from 1, or a range of them such as 2-4`},
		{"a range of nodes and cores per node", "60 -n 8 -N 2-4 --ntasks-per-node=2\n", `w.txt:1: job 1: nodes_max: got 4, allowed 0, or more than nodes=2 to 10000 beside nodes and without cores_per_node
w.txt:1: job 1: cores: got 8, allowed nodes*cores_per_node=4`},
		{"licences", "60 -n 2 --licenses=a:0\n", `w.txt:1: -L: got "a:0", allowed licences like matlab:2,ansys`},
		{"nothing asked for", "60\n", "w.txt:1: job 1: cores: got 0, allowed 1..10240000"},
		{"no jobs", "# empty\n", "w.txt: jobs: got 0, allowed 1..100000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := parseText("w.txt", []byte(tc.content))
			wantError(t, err, tc.want)
		})
	}
}

// textOf writes jobs in the form that parseText reads.
func textOf(jobs []Job) string {
	var out strings.Builder
	for _, j := range jobs {
		fmt.Fprintf(&out, "%d -t %d -n %d", j.Runtime, j.Limit/60, j.Cores)
		if j.Nodes > 0 {
			fmt.Fprintf(&out, " -N %d", j.Nodes)
		}
		if j.CoresPerNode > 0 {
			fmt.Fprintf(&out, " --ntasks-per-node=%d", j.CoresPerNode)
		}
		if j.GPUsMax > j.GPUsMin {
			fmt.Fprintf(&out, " --gres=gpu:%d-%d", j.GPUsMin, j.GPUsMax)
		} else if j.GPUsMax > 0 {
			fmt.Fprintf(&out, " --gres=gpu:%d", j.GPUsMax)
		}
		if j.Contiguous {
			out.WriteString(" --contiguous")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// Generated jobs survive the text form: it can express all of them.
func TestTextRoundTrip(t *testing.T) {
	want := jobsOf(t, "V.2", "tsubame", 4)
	got, _, err := parseText("w.txt", []byte(textOf(want)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("jobs differ")
	}
}

// What is read can be written as text and as CSV and read again as the same
// jobs.
func FuzzParseText(f *testing.F) {
	f.Add("459 -n 7476\n124 -n 1048 -N 262 --ntasks-per-node=4 # x\r\n")
	f.Add("60 -t 1-2:3:4 -N4 --ntasks-per-node 3 --gres gpu:1-3 --contiguous")
	f.Add("60 -n")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, _, err := parseText("f.txt", []byte(text))
		if err != nil {
			if jobs != nil || !strings.HasPrefix(err.Error(), "f.txt:") {
				t.Fatalf("%d jobs with error %v", len(jobs), err)
			}
			return
		}
		again, _, err := parseText("again.txt", []byte(textOf(jobs)))
		if err != nil {
			t.Fatal(err)
		}
		fromCSV, err := ReadCSV(strings.NewReader(csvOf(t, jobs)), "again.csv")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again, jobs) || !reflect.DeepEqual(fromCSV, jobs) {
			t.Fatalf("got %+v and %+v, want %+v", again, fromCSV, jobs)
		}
	})
}
