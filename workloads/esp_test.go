package workloads

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// machineIPSCHED is the machine of IPSCHED section V: "1024 nodes, each of which
// had 2 GPU's and 8 cores".
func machineIPSCHED() Machine { return Machine{Name: "L", Nodes: 1024, Cores: 8, GPUs: 2} }

// The README of ESP-2.2.1: "There are 230 jobs derived from a list of 14 job types". 50 come at once, the two Z jobs
// "after 2400 and 7200 seconds", all others before. IPSCHED: "a total of 458 jobs, and the sum of completion times
// was 21822 seconds". "CPU core requirements of all the jobs were a multiple of 8". "we have also doubled the
// earliest time to submit Z-jobs".
func TestESP(t *testing.T) {
	m := machineIPSCHED()
	for _, tc := range []struct {
		name       string
		jobs, gpu  int
		work       float64 // the table's, in seconds
		z1, z2     int
		multiples8 bool
	}{
		{"ESP-2", 230, 0, 11002.9, 2400, 7200, true},
		{"ESP-2.ipsched", 230, 0, 11011.3, 2400, 7200, true},
		{"ESP-2.gpu", 458, 228, 21822, 4800, 14400, true},
		{"ESP-2.gpu.rand", 458, 228, 21822, 4800, 14400, false},
		{"ESP-2.gpu.221", 458, 228, 21805.8, 4800, 14400, true},
		{"ESP-2.gpu.rand.221", 458, 228, 21805.8, 4800, 14400, false},
	} {
		jobs := jobsOf(t, tc.name, "L", 1)
		gpu, multiples := 0, 0
		for i, j := range jobs {
			for _, err := range j.Validate(m) {
				t.Errorf("%s: %v", tc.name, err)
			}
			if j.GPUsMax > 0 {
				gpu++
			}
			if j.Cores%8 == 0 {
				multiples++
			}
			if (j.Arrival == 0) != (i < 50) && j.Arrival < 25 || j.Nodes != 0 || j.Limit < j.Runtime*3/2 || j.Limit >= j.Runtime*3/2+60 {
				t.Errorf("%s: %+v", tc.name, j)
			}
		}
		if len(jobs) != tc.jobs || gpu != tc.gpu || (multiples == len(jobs)) != tc.multiples8 {
			t.Errorf("%s: %d jobs, %d with GPUs, %d of whole nodes", tc.name, len(jobs), gpu, multiples)
		}
		if got := theoretical(jobs, m).Seconds(); math.Abs(got-tc.work) > tc.work/1000 {
			t.Errorf("%s: theoretical runtime %.1f s, want %.1f", tc.name, got, tc.work)
		}
		last, z1, z2 := jobs[len(jobs)-3], jobs[len(jobs)-2], jobs[len(jobs)-1]
		if z1.Class != "Z" || z2.Class != "Z" || last.Class == "Z" || z1.Arrival != max(tc.z1, last.Arrival) || z2.Arrival != max(tc.z2, z1.Arrival) {
			t.Errorf("%s: %+v, %+v, %+v", tc.name, last, z1, z2)
		}
		mean := float64(last.Arrival) / float64(len(jobs)-2-50)
		if math.Abs(mean-30) > 4*5/math.Sqrt(float64(len(jobs)-52)) {
			t.Errorf("%s: mean gap %.2f s", tc.name, mean)
		}
	}
}

// "One copy requested CPU-cores only (as in the original ESP) and its
// corresponding copy requested CPU-cores as well as 2 GPUs per node."
func TestESPCopies(t *testing.T) {
	type request struct {
		class          string
		cores, runtime int
	}
	counts := map[request][2]int{}
	for _, j := range jobsOf(t, "ESP-2.gpu", "L", 2) {
		class, copied := strings.CutSuffix(j.Class, "-gpu")
		r := request{class, j.Cores, j.Runtime}
		n := counts[r]
		switch {
		case copied && j.GPUsMin == 2 && j.GPUsMax == 2:
			n[1]++
		case !copied && j.GPUsMax == 0:
			n[0]++
		default:
			t.Errorf("got %+v", j)
		}
		counts[r] = n
	}
	for r, n := range counts {
		if r.class == "Z" && n != [2]int{2, 0} || r.class != "Z" && n[0] != n[1] {
			t.Errorf("%+v: %d jobs and %d copies", r, n[0], n[1])
		}
	}
	if len(counts) != 14 {
		t.Errorf("got %d job types", len(counts))
	}
}

// RAND(-4,4): every change is equally likely, and only sizes change.
func TestESPSizeChange(t *testing.T) {
	plain, changed := jobsOf(t, "ESP-2.gpu", "L", 3), jobsOf(t, "ESP-2.gpu.rand", "L", 3)
	counts, shares := map[string]float64{}, map[string]float64{}
	for i := range plain {
		by := changed[i].Cores - plain[i].Cores
		if plain[i].Class != "Z" {
			counts[string(rune('e'+by))]++
		}
		a, b := plain[i], changed[i]
		a.Cores, b.Cores = 0, 0
		if a != b || by < -4 || by > 4 || changed[i].Cores > 8192 {
			t.Errorf("got %+v and %+v", plain[i], changed[i])
		}
	}
	for by := -4; by <= 4; by++ {
		shares[string(rune('e'+by))] = 1.0 / 9
	}
	// The 0.1 % point with 8 degrees of freedom.
	if chi := chiSquared(counts, shares); chi > 26.12 {
		t.Errorf("chi-squared %.1f of %v", chi, counts)
	}
}

// Any machine, any seed: the same bytes again, valid jobs, the table's counts,
// and orders that differ between seeds.
func TestESPProperties(t *testing.T) {
	w, err := Load("ESP-2.gpu.rand")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		e := w.spec.(ESP)
		e.GPUCopies = rapid.IntRange(0, m.GPUs).Draw(t, "copies")
		seed := rapid.Uint64().Draw(t, "seed")
		jobs, err := e.Generate(m, seed)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := e.Generate(m, seed); !reflect.DeepEqual(jobs, again) {
			t.Fatal("same seed, different jobs")
		}
		want := 230
		if e.GPUCopies > 0 {
			want = 458
		}
		if len(jobs) != want || !slices.IsSortedFunc(jobs, func(a, b Job) int { return a.Arrival - b.Arrival }) {
			t.Fatalf("%d jobs, or out of order", len(jobs))
		}
		for i, j := range jobs {
			for _, err := range j.Validate(m) {
				t.Fatal(err)
			}
			if j.ID != i+1 {
				t.Fatalf("got id %d at %d", j.ID, i)
			}
		}
		other, err := e.Generate(m, seed+1)
		if err != nil || reflect.DeepEqual(jobs, other) {
			t.Fatalf("two seeds, the same jobs (%v)", err)
		}
	})
}

func TestESPSpecErrors(t *testing.T) {
	w, err := Load("ESP-2.gpu")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Jobs(Machine{Name: "cpu", Nodes: 8, Cores: 8}, 1)
	wantError(t, err, "workload ESP-2.gpu on machine cpu: gpu_copies: got 2, allowed up to 0 (GPUs of a node)")
	_, err = w.WithEstimatedRuntime(time.Hour)
	wantError(t, err, "theoretical-runtime: got workload ESP-2.gpu, a fixed list of jobs, allowed generated workloads")
	for _, tc := range []struct{ content, want string }{
		{"generator: other\ntypes: [{class: a, size: 1, count: 1, runtime: 60s}]\n",
			`s.yaml:1: generator: got "other", allowed esp, or no key for the generator of AUCSCHED`},
		{"generator: esp\n", "s.yaml:1: types: missing, allowed at least one job type"},
		{`generator: esp
types:
  - {class: "a b", size: 2, count: 0, runtime: 1}
  - {class: Z, size: 1, count: 2, runtime: 100s, earliest: [5s]}
  - {class: Y, size: 1, count: 1, runtime: 100s, earliest: [-5s], late: true}
size_change: -1
gpu_copies: 129
minimum_runtime: 500ms
`, `s.yaml:3: types[0].runtime: got 1, allowed a duration with its unit, like 90s, 10m or 4h
s.yaml:3: types[0].class: got "a b", allowed 1..28 of letters, digits, -, _ and .
s.yaml:3: types[0].size: got 2, allowed more than 0 to 1, with at most 6 decimals
s.yaml:3: types[0].count: got 0, allowed 1..100000
s.yaml:4: types[1].earliest: got 1 durations, allowed count=2
s.yaml:5: types[2].late: unknown key, allowed class, size, count, runtime, earliest
s.yaml:5: types[2].earliest[0]: got -5s, allowed 0s..720h0m0s in steps of 1s
s.yaml:6: size_change: got -1, allowed 0..1024
s.yaml:7: gpu_copies: got 129, allowed 0..128
s.yaml:8: minimum_runtime: got 500ms, allowed 1s..720h0m0s in steps of 1s`},
	} {
		_, err := Load(write(t, "s.yaml", tc.content))
		wantError(t, err, tc.want)
	}
}

// specs/ESP-2.yaml is the reference of the keys, and what run.json keeps is a
// spec file.
func TestESPSpecFile(t *testing.T) {
	data, err := specFiles.ReadFile("specs/ESP-2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"generator:", "# name:", "types:", "# gpu_copies:", "# size_change:", "minimum_runtime:", "arrival:", "limit:"} {
		if !strings.Contains(string(data), "\n"+key) {
			t.Errorf("key %s is not shown", key)
		}
	}
	for _, b := range esp() {
		w, err := Load(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(w.spec)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseESP("x.yaml", out)
		if err != nil || !reflect.DeepEqual(again, w.spec) {
			t.Errorf("got %+v, %v of %s", again, err, out)
		}
	}
}

// The README of ESP-2.2.1 has 10773 s for its own jobs; nothing is published for
// other run times, copies and changed sizes.
func TestMinimumRuntime(t *testing.T) {
	for _, b := range Builtins() {
		w, err := Load(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := w.SpecJSON()
		if err != nil {
			t.Fatal(err)
		}
		minimum, published := MinimumRuntime(spec)
		if published != (b.Name == "ESP-2") || published && minimum != 10773*time.Second {
			t.Errorf("%s: got %s, %v", b.Name, minimum, published)
		}
	}
	for _, spec := range []string{"", "{", `{"generator":"esp"}`, `{"generator":"esp","minimum_runtime":"x"}`, `{"minimum_runtime":"5s"}`} {
		if minimum, published := MinimumRuntime([]byte(spec)); published {
			t.Errorf("%s: got %s", spec, minimum)
		}
	}
}

// Any bytes give a good spec or an error.
func FuzzParseESP(f *testing.F) {
	data, err := specFiles.ReadFile("specs/ESP-2.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("generator: esp\ntypes: [{class: a, size: 1, count: 1, runtime: 60s, earliest: [x]}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseESP("f.yaml", data)
		if (err == nil) != (len(e.Types) > 0) {
			t.Fatalf("error %v with %+v", err, e)
		}
		if err == nil && len(e.faults()) > 0 {
			t.Fatalf("accepted %v", e.faults())
		}
	})
}
