package workloads

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A change of these lines changes what every seed means: results of earlier
// versions are then no longer comparable, which the change log must say.
func TestGoldenV2OnS(t *testing.T) {
	const first = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class
1,0,216,480,104,104,1,1,1,0,gpu1
2,0,570,1020,0,120,0,0,0,1,type1
3,0,93,300,18,144,8,0,0,0,type3
4,0,292,600,48,192,4,0,0,1,type3
5,0,365,720,12,96,8,0,0,1,type3
`
	const sum = "a80d79afee09aea9c2a3889e54e65f7acb9073fd37b9d69bc286bf3f5998aedb"
	text := csvOf(t, jobsOf(t, "V.2", "S", 1))
	if !strings.HasPrefix(text, first) {
		t.Errorf("got:\n%s\nwant:\n%s", text[:min(len(text), len(first))], first)
	}
	if got := sha256.Sum256([]byte(text)); hex.EncodeToString(got[:]) != sum {
		t.Errorf("got sha256 %x, want %s", got, sum)
	}
}

func TestSeeds(t *testing.T) {
	first, second := csvOf(t, jobsOf(t, "V.2", "M", 7)), csvOf(t, jobsOf(t, "V.2", "M", 7))
	if first != second {
		t.Error("same seed, different bytes")
	}
	seen := map[string]uint64{}
	for seed := range uint64(50) {
		text := csvOf(t, jobsOf(t, "V.2", "S", seed))
		if other, again := seen[text]; again {
			t.Errorf("seeds %d and %d give the same jobs", seed, other)
		}
		seen[text] = seed
	}
}

// TestGenerateProperties holds for any spec on any machine.
func TestGenerateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		s := drawSpec(t, m)
		seed := rapid.Uint64().Draw(t, "seed")
		jobs, err := s.Generate(m, seed)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := s.Generate(m, seed); !reflect.DeepEqual(jobs, again) {
			t.Fatal("same seed, different jobs")
		}
		largest := max(float64(m.Cores), s.MaxCores*float64(m.Nodes*m.Cores))
		for i, j := range jobs {
			for _, err := range j.Validate(m) {
				t.Fatal(err)
			}
			runtime := time.Duration(j.Runtime) * time.Second
			if runtime < s.Runtime.Min.Duration || runtime > s.Runtime.Max.Duration || float64(j.Cores) > largest+1e-6 {
				t.Fatalf("outside the spec: %+v", j)
			}
			if j.ID != i+1 || i > 0 && j.Arrival < jobs[i-1].Arrival || jobs[0].Arrival != 0 {
				t.Fatalf("out of order: %+v", j)
			}
		}
		if s.Jobs > 0 {
			if len(jobs) != s.Jobs {
				t.Fatalf("got %d jobs, want %d", len(jobs), s.Jobs)
			}
			return
		}
		checkTheoretical(t, s, m, jobs)
	})
}

// checkTheoretical asks for the spec's theoretical runtime within 2 %, or, for
// workloads of few jobs, within the smallest possible job.
func checkTheoretical(t *rapid.T, s Spec, m Machine, jobs []Job) {
	// The smallest number of cores is a common multiple of the node's cores and
	// an entry of a list, at most their product.
	unit := float64(m.Cores)
	for _, kind := range s.Types {
		for _, c := range kind.CoresPerNode {
			unit = max(unit, float64(m.Cores*c))
		}
		for _, c := range kind.CoresPerGPU {
			unit = max(unit, float64(m.Cores*c*kind.GPUs))
		}
	}
	cores := float64(m.Nodes * m.Cores)
	smallest := min(unit, max(float64(m.Cores), s.MaxCores*cores)) * s.Runtime.Min.Seconds() / cores
	// A run time rounded to seconds adds half a second of the largest job.
	rounding := max(float64(m.Cores), s.MaxCores*cores) / 2 / cores
	allowed := max(0.02*s.EstimatedRuntime.Seconds(), smallest/2+rounding)
	if len(jobs) == 1 {
		allowed = max(allowed, smallest)
	}
	if got := theoretical(jobs, m); math.Abs(got.Seconds()-s.EstimatedRuntime.Seconds()) > allowed+1e-6 {
		t.Fatalf("theoretical runtime %v of %d jobs, want %v within %.3f s", got, len(jobs), s.EstimatedRuntime, allowed)
	}
}

func TestGenerateErrors(t *testing.T) {
	v2, err := Load("V.2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = v2.Jobs(Machine{Name: "tiny", Nodes: 3, Cores: 3, GPUs: 1}, 1)
	wantError(t, err, `workload V.2 on machine tiny: types[1].cores_per_node[0]: got 4, allowed up to 3 (cores of a node)
workload V.2 on machine tiny: types[1].cores_per_node[1]: got 8, allowed up to 3 (cores of a node)
workload V.2 on machine tiny: types[3].gpus: got 2, allowed up to 1 (GPUs of a node)
workload V.2 on machine tiny: types[3].cores_per_gpu[1]: got 2, allowed up to 1 (cores per GPU for 2 GPUs of a node)`)
	_, err = v2.Jobs(Machine{Name: "none"}, 1)
	wantError(t, err, `machine "none": nodes: got 0, allowed 1..10000
machine "none": cores: got 0, allowed 1..1024`)

	m := Machine{Name: "wide", Nodes: 100, Cores: 1}
	s := defaultSpec("many")
	s.Types = []JobType{{Class: "a", Share: 1}}
	s.MaxCores, s.EstimatedRuntime = 0.01, Duration{longest}
	s.Runtime = Runtime{Min: Duration{time.Second}, Max: Duration{time.Second}}
	_, err = s.Generate(m, 1)
	wantError(t, err, "generate workload many on machine wide: got more than 100000 jobs, allowed 100000 (lower theoretical_runtime, or raise max_cores or runtime)")

	s.EstimatedRuntime = Duration{10 * time.Second}
	s.Arrival = Arrival{Process: Fixed, Interval: Duration{24 * time.Hour}}
	_, err = s.Generate(m, 1)
	wantError(t, err, "generate workload many on machine wide: got an arrival at 31622400 s, allowed 31536000 (lower arrival.interval)")

	_, err = Spec{}.Generate(m, 1)
	if err == nil || !strings.Contains(err.Error(), "types: got none") {
		t.Errorf("empty spec: %v", err)
	}
}

// On machines where no node count makes whole nodes' worth of cores, any count
// is taken; the smallest machine still gets a job.
func TestTinyMachines(t *testing.T) {
	for _, m := range []Machine{{Name: "one", Nodes: 1, Cores: 8, GPUs: 2, Switches: Tree{}}, {Name: "three", Nodes: 3, Cores: 8, GPUs: 4, Switches: Tree{}}, {Name: "flat", Nodes: 5, Cores: 8, GPUs: 2, Switches: Tree{}}} {
		for _, estimated := range []time.Duration{time.Second, time.Minute, time.Hour} {
			w, err := Load("V.3")
			if err != nil {
				t.Fatal(err)
			}
			if w, err = w.WithEstimatedRuntime(estimated); err != nil {
				t.Fatal(err)
			}
			jobs, err := w.Jobs(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(jobs) == 0 {
				t.Fatalf("no jobs on %s", m.Name)
			}
			for _, j := range jobs {
				for _, err := range j.Validate(m) {
					t.Error(err)
				}
			}
		}
	}
}
