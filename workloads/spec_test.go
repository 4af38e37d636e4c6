package workloads

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const oneType = "types: [{class: a, share: 1}]\n"

func TestSpecDefaults(t *testing.T) {
	s, err := ParseSpec("dir/mine.yaml", []byte(oneType))
	if err != nil {
		t.Fatal(err)
	}
	want := defaultSpec("mine")
	want.Types = []JobType{{Class: "a", Share: 1}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

// specs/V.yaml says that it shows the defaults; it must not drift from them.
func TestReferenceSpecShowsDefaults(t *testing.T) {
	data, err := specFiles.ReadFile("specs/V.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseSpec("specs/V.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	want := defaultSpec("V")
	// AUCSCHED Table 4, last row.
	want.Types = []JobType{
		{Class: "type1", Share: 0.333},
		{Class: "type3", Share: 0.333, CoresPerNode: []int{4, 8}},
		{Class: "gpu1", Share: 0.166, GPUs: 1, CoresPerGPU: []int{1, 2}},
		{Class: "gpu2", Share: 0.166, GPUs: 2, CoresPerGPU: []int{1, 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, key := range []string{"max_cores", "theoretical_runtime", "runtime", "contiguous", "arrival", "limit"} {
		if !strings.Contains(string(data), "\n"+key+":") {
			t.Errorf("key %s is not shown", key)
		}
	}
}

func TestBadSpec(t *testing.T) {
	for _, tc := range []struct{ name, content, want string }{
		{"all faults with their lines", `name: a/b
max_cores: 0
theoretical_runtime: 500ms
runtime: {min: 10m, max: 1m}
contiguous: 1.5
types:
  - class: a,b
    share: 2
    cores_per_node: [4, 0]
arrival:
  process: sometimes
limit: {factor: 0.5, add: 48h}
seed: 1
`, `s.yaml:1: name: got "a/b", allowed printable characters other than /
s.yaml:2: max_cores: got 0, allowed more than 0 to 1, with at most 6 decimals
s.yaml:3: theoretical_runtime: got 500ms, allowed 1s..720h0m0s in steps of 1s
s.yaml:4: runtime.max: got 1m0s, allowed 10m0s..720h0m0s in steps of 1s
s.yaml:5: contiguous: got 1.5, allowed 0..1, with at most 6 decimals
s.yaml:7: types[0].class: got "a,b", allowed 1..32 of letters, digits, -, _ and .
s.yaml:8: types[0].share: got 2, allowed more than 0 to 1, with at most 6 decimals
s.yaml:9: types[0].cores_per_node[1]: got 0, allowed 1..1024
s.yaml:11: arrival.process: got "sometimes", allowed at-once, fixed, gaussian, poisson, trace
s.yaml:12: limit.factor: got 0.5, allowed 1..10, with at most 6 decimals
s.yaml:12: limit.add: got 48h0m0s, allowed 0s..24h0m0s in steps of 1s
s.yaml:13: seed: unknown key, allowed name, max_cores, jobs, theoretical_runtime, runtime, contiguous, types, arrival, limit`},
		{"wrong types", `max_cores: much
theoretical_runtime: 240
runtime: 60s
contiguous: .nan
types: 3
arrival: [x]
limit: {factor: "2", add: soon}
`, `s.yaml:1: max_cores: got "much", allowed a number like 0.5
s.yaml:2: theoretical_runtime: got 240, allowed a duration with its unit, like 90s, 10m or 4h
s.yaml:3: runtime: got "60s", allowed a mapping of keys to values
s.yaml:4: contiguous: got .nan, allowed a number like 0.5
s.yaml:5: types: got 3, allowed a list
s.yaml:6: arrival: got a list, allowed a mapping of keys to values
s.yaml:7: limit.factor: got "2", allowed a number like 0.5
s.yaml:7: limit.add: got "soon", allowed a duration with its unit, like 90s, 10m or 4h`},
		{"no types", "contiguous: 1\n", "s.yaml:1: types: missing, allowed at least one job type"},
		{"no share", "types:\n  - class: a\n", "s.yaml:2: types[0].share: missing, allowed more than 0 to 1, with at most 6 decimals"},
		{"types of a wrong type", "types: [a, {class: b, share: 1, cores_per_node: [x]}]\n",
			`s.yaml:1: types[0]: got "a", allowed a mapping of keys to values
s.yaml:1: types[1].cores_per_node[0]: got "x", allowed a whole number`},
		{"shares", "types:\n  - {class: a, share: 0.5}\n  - {class: b, share: 0.4}\n", "s.yaml:1: types: got shares of 0.9 in sum, allowed 0.99..1.01"},
		{"seven decimals", oneType + "contiguous: 0.1234567\n", "s.yaml:2: contiguous: got 0.1234567, allowed 0..1, with at most 6 decimals"},
		{"gpus without cores", "types:\n  - {class: a, share: 1, gpus: 1}\n",
			"s.yaml:2: types[0].cores_per_gpu: missing, allowed at least one number for a type with gpus"},
		{"gpus with cores per node", "types:\n  - {class: a, share: 1, gpus: 1, cores_per_node: [4]}\n",
			"s.yaml:2: types[0].cores_per_node: got a list for a type with gpus, allowed cores_per_gpu there"},
		{"cores per gpu without gpus", "types:\n  - {class: a, share: 1, cores_per_gpu: [4]}\n",
			"s.yaml:2: types[0].cores_per_gpu: got a list for a type without gpus, allowed cores_per_node there"},
		{"a range that ends too low", "types:\n  - {class: a, share: 1, gpus: 2, gpus_max: 2, cores_per_gpu: [1]}\n",
			"s.yaml:2: types[0].gpus_max: got 2, allowed more than gpus=2 to 128, none for a type without gpus"},
		{"a range without gpus", "types:\n  - {class: a, share: 1, gpus_max: 2, total_only: yes please}\n",
			`s.yaml:2: types[0].total_only: got "yes please", allowed true or false
s.yaml:2: types[0].gpus_max: got 2, allowed more than gpus=0 to 128, none for a type without gpus`},
		{"total only of a request for cores", "types:\n  - {class: a, share: 1, total_only: true}\n",
			"s.yaml:2: types[0].total_only: got true, allowed with cores_per_node or gpus alone"},
		{"no theoretical runtime", oneType + "theoretical_runtime: 0s\n",
			"s.yaml:2: theoretical_runtime: got 0s, allowed 1s..720h0m0s in steps of 1s"},
		{"the key's earlier name", oneType + "estimated_runtime: 0s\n",
			"s.yaml:2: estimated_runtime: got 0s, allowed 1s..720h0m0s in steps of 1s"},
		{"too many jobs", oneType + "jobs: 100001\n", "s.yaml:2: jobs: got 100001, allowed 0..100000"},
		{"unknown nested key", "types:\n  - class: a\n    share: 1\n    cores: 4\n",
			"s.yaml:4: types[0].cores: unknown key, allowed class, share, cores_per_node, gpus, gpus_max, cores_per_gpu, total_only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseSpec("s.yaml", []byte(tc.content))
			wantError(t, err, tc.want)
		})
	}
}

// drawSpec makes any valid spec that fits on a machine of at least 2 cores and
// 1 GPU per node.
func drawSpec(t *rapid.T, m Machine) Spec {
	seconds := func(low, high int, label string) Duration {
		return Duration{time.Duration(rapid.IntRange(low, high).Draw(t, label)) * time.Second}
	}
	s := defaultSpec("drawn")
	s.MaxCores = float64(rapid.IntRange(50_000, million).Draw(t, "max_cores")) / million
	s.Runtime.Min = seconds(1, 300, "min")
	s.Runtime.Max = Duration{s.Runtime.Min.Duration + seconds(0, 300, "more").Duration}
	// At most some thousand jobs, for the test's own run time.
	s.EstimatedRuntime = seconds(1, 30*int(s.Runtime.Max.Seconds()), "theoretical_runtime")
	s.Contiguous = float64(rapid.IntRange(0, million).Draw(t, "contiguous")) / million
	list := rapid.SliceOfN(rapid.IntRange(1, m.Cores), 1, 3)
	switch rapid.IntRange(0, 2).Draw(t, "kinds") {
	case 0:
		s.Types = []JobType{{Class: "type1", Share: 1}}
	case 1:
		s.Types = []JobType{{Class: "type1", Share: 0.25}, {Class: "type3", Share: 0.75, CoresPerNode: list.Draw(t, "list")}}
	case 2:
		s.Types = []JobType{{Class: "type3", Share: 0.5, CoresPerNode: list.Draw(t, "list")},
			{Class: "gpu", Share: 0.495, GPUs: m.GPUs, CoresPerGPU: []int{1, m.Cores / m.GPUs}, TotalOnly: true}}
		if m.GPUs > 1 {
			s.Types[1].GPUs, s.Types[1].GPUsMax = 1, m.GPUs
		}
	}
	s.Arrival = drawArrival(t)
	if rapid.Bool().Draw(t, "number of jobs") {
		s.Jobs, s.EstimatedRuntime = rapid.IntRange(1, 300).Draw(t, "jobs"), Duration{}
	}
	s.Limit = Limit{Factor: float64(rapid.IntRange(million, 3*million).Draw(t, "factor")) / million, Add: seconds(0, 600, "add")}
	if rapid.Bool().Draw(t, "quantiles") {
		middle := Duration{s.Runtime.Min.Duration + time.Duration(rapid.Int64Range(0, int64((s.Runtime.Max.Duration-s.Runtime.Min.Duration)/time.Second)).Draw(t, "middle"))*time.Second}
		s.Runtime.Quantiles = []Duration{s.Runtime.Min, middle, s.Runtime.Max}
		s.Limit.Factor, s.Limit.Factors = 0, []float64{1, 1.25, 7.5}
	}
	return s
}

// drawMachine makes a machine on which drawSpec's GPU type fits.
func drawMachine(t *rapid.T) Machine {
	m := Machine{Name: "drawn", Nodes: rapid.IntRange(1, 300).Draw(t, "nodes"), Cores: rapid.IntRange(1, 32).Draw(t, "cores")}
	m.GPUs = rapid.IntRange(1, min(4, m.Cores)).Draw(t, "gpus")
	return m
}

// The workload_spec of run.json can be run again as a spec file.
func TestSpecJSONIsASpecFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSpec(t, drawMachine(t))
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSpec("x.yaml", data)
		if err != nil {
			t.Fatalf("%s\n%v", data, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// Any bytes give a good spec or an error, never a panic or a spec that the
// generator would refuse.
func FuzzParseSpec(f *testing.F) {
	data, err := specFiles.ReadFile("specs/V.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(oneType))
	f.Add([]byte("types:\n- a\n-\n- {class: [}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSpec("f.yaml", data)
		if (err == nil) != (len(s.Types) > 0) {
			t.Fatalf("error %v with %+v", err, s)
		}
		if err == nil && len(s.faults()) > 0 {
			t.Fatalf("accepted %v", s.faults())
		}
	})
}
