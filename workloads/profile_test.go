package workloads

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Quantiles against the sorted numbers: exact below 256, else at most 1/128 too small.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, maxSeconds*100)), 1, 50).Draw(t, "numbers")
		var s Spread
		sum := 0.0
		for _, n := range numbers {
			s.add(n)
			sum += float64(n)
		}
		slices.Sort(numbers)
		if s.Min != numbers[0] || s.Max != numbers[len(numbers)-1] || math.Abs(s.Mean()-sum/float64(len(numbers))) > 1e-6*sum {
			t.Fatalf("%v: %+v", numbers, s)
		}
		for _, q := range []float64{0.01, 0.5, 0.9, 1} {
			want := numbers[int(math.Ceil(q*float64(len(numbers))))-1]
			if got := s.Quantile(q); got > want || want < 256 && got != want || float64(got) < float64(want)*(1-1./128) {
				t.Fatalf("%v: quantile %g is %d, want %d", numbers, q, got, want)
			}
		}
	})
}

// A load worked out by hand: 2 jobs of 8 cores and 4 GPUs for 100 s arrive within 50 s.
func TestLoad(t *testing.T) {
	var p Profile
	for id := range 2 {
		p.Add(Job{ID: id + 1, Arrival: 10 + 50*id, Runtime: 100, Limit: 150, Nodes: 2, Cores: 8, CoresPerNode: 4, GPUsMin: 2, GPUsMax: 2, Class: "g", User: fmt.Sprint("u", id)})
	}
	m := Machine{Name: "m", Nodes: 10, Cores: 4, GPUs: 2}
	cores, gpus, ok := p.Load(m)
	if !ok || cores != 1600./50/40 || gpus != 800./50/20 || p.OddLimits != 2 {
		t.Errorf("got %g, %g, %v, %d odd limits", cores, gpus, ok, p.OddLimits)
	}
	if name, part := p.BusiestUser(); name != "u0" || part != 0.5 {
		t.Errorf("busiest: %s, %g", name, part)
	}
	// The smallest machine of two such nodes has a load of 400 %; ten and one more have 80.
	least, _ := p.Demand.Machine(8)
	if least.Nodes != 2 || least.Cores != 4 || least.GPUs != 2 {
		t.Errorf("least %+v", least)
	}
	carrying, ok := p.Carrying(least, 0.8)
	if cores, gpus, _ := p.Load(carrying); !ok || carrying.Nodes != 11 || cores > 0.8 || gpus > 0.8 {
		t.Errorf("%+v has %g and %g, %v", carrying, cores, gpus, ok)
	}
	if _, ok := p.Carrying(least, 1e-6); ok {
		t.Error("a machine of more nodes than a machine file allows")
	}
	var once Profile
	once.Add(Job{ID: 1, Runtime: 100, Limit: 180, Cores: 8, Class: "g"})
	if _, _, ok := once.Load(m); ok {
		t.Error("one arrival has no load")
	}
}

// A stream of rows has the jobs, the origin and the faults of the whole file.
func TestStreamCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.Bool().Draw(t, "users")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := "# source: x" + end + csvHeader
		if users {
			text += ",user"
		}
		text += end
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			row := fmt.Sprintf("%d,%d,%s,120,%d,8,%d,0,0,0,a", rapid.IntRange(0, 900).Draw(t, "id"), rapid.IntRange(0, 9).Draw(t, "arrival"),
				rapid.SampledFrom([]string{"60", "120", "121", "x"}).Draw(t, "runtime"), rapid.IntRange(0, 2).Draw(t, "nodes"), rapid.IntRange(0, 4).Draw(t, "per node"))
			if users {
				row += "," + rapid.SampledFrom([]string{"", "eve", "Eve"}).Draw(t, "user")
			}
			text += row + end
		}
		jobs, want := ReadCSV(strings.NewReader(text), "w.csv")
		var got []Job
		origin, err := StreamCSV(strings.NewReader(text), "w.csv", func(j Job) { got = append(got, j) })
		switch {
		case want == nil && (err != nil || !slices.Equal(got, jobs)):
			t.Fatalf("%s\ngot %+v, %v\nwant %+v", text, got, err, jobs)
		case want != nil && err == nil:
			t.Fatalf("%s\nwant the error %v", text, want)
		case want != nil && !strings.Contains(want.Error(), "as in line") && !strings.Contains(want.Error(), "jobs: got 0") && err.Error() != want.Error():
			t.Fatalf("%s\ngot  %v\nwant %v", text, err, want)
		case !slices.Equal(origin, []string{"source: x"}):
			t.Fatalf("origin %q", origin)
		}
	})
	_, err := StreamCSV(strings.NewReader(csvHeader+"\n"+strings.Repeat("1", 70_000)), "w.csv", func(Job) {})
	wantError(t, err, "w.csv:2: row: got more than 65536 bytes, allowed 65536")
	_, err = StreamCSV(strings.NewReader(csvHeader+"\n"), "w.csv", func(Job) {})
	wantError(t, err, "w.csv: jobs: got 0, allowed at least one")
}
