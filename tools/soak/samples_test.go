package main

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// course are the samples of one process at every hundredth job of a thousand.
func course(memory, descriptors func(ended int) int, cpu func(ended int) float64) []sample {
	var all []sample
	for ended := 0; ended <= 1000; ended += 10 {
		all = append(all, sample{
			Process: "p", Seconds: float64(ended), Ended: ended, Count: 1, Memory: memory(ended), Descriptors: descriptors(ended), CPU: cpu(ended),
		})
	}
	return all
}

func constant(v int) func(int) int { return func(int) int { return v } }

// "Memory and descriptors of every process sampled and plotted, flat after warm-up"
// (issue 16).
func TestFlat(t *testing.T) {
	idle := func(int) float64 { return 0 }
	warming := func(ended int) int { return 50_000 + 500*min(ended, 200) }
	for _, tt := range []struct {
		name                string
		memory, descriptors func(int) int
		want                bool
	}{
		{"constant", constant(100_000), constant(20), true},
		{"grows in the warm-up", warming, constant(20), true},
		{"memory grows", func(ended int) int { return 100_000 + 100*ended }, constant(20), false},
		{"descriptors leak", constant(100_000), func(ended int) int { return 20 + ended/100 }, false},
		{"a few KiB in a small process", func(ended int) int { return 4000 + ended }, constant(20), true},
	} {
		g, ok := growthOf(course(tt.memory, tt.descriptors, idle), "p", 1000)
		if !ok || g.flat() != tt.want {
			t.Errorf("%s: flat %v, %v, want %v: %+v", tt.name, g.flat(), ok, tt.want, g)
		}
	}
	if _, ok := growthOf(nil, "p", 1000); ok {
		t.Error("nothing is flat")
	}
}

// wander goes up and down as vclockd's descriptors did in the run of 5,000 jobs after the warm-up. They were even
// numbers around 208 with a standard deviation of 1.4 and a correlation of 0.79 between two looks.
func wander(chance *rand.Rand) []int {
	const deviation, correlation = 1.4, 0.79
	values, at := make([]int, 250), 0.0
	for i := range values {
		at = correlation*at + deviation*math.Sqrt(1-correlation*correlation)*chance.NormFloat64()
		values[i] = 208 + 2*int(math.Round(at/2))
	}
	return values
}

// Descriptors that go up and down are flat, and a leak under them is found: of one descriptor
// per thousand jobs over 20,000 jobs, and of as many at once, late.
func TestDescriptorsThatWander(t *testing.T) {
	const jobs = 20_000
	grown := map[string]int{}
	for seed := range uint64(200) {
		values := wander(rand.New(rand.NewPCG(seed, 0)))
		for name, leak := range map[string]func(ended int) int{
			"none": constant(0), "steady": func(ended int) int { return ended / 1000 }, "late": func(ended int) int { return ended / 15_000 * 20 },
		} {
			var all []sample
			for i, v := range values {
				ended := i * jobs / len(values)
				all = append(all, sample{Process: "p", Ended: ended, Memory: 1000, Descriptors: v + leak(ended)})
			}
			if g, ok := growthOf(all, "p", jobs); !ok || !g.flat() {
				grown[name]++
			}
		}
	}
	if grown["none"] > 0 || grown["steady"] < 200 || grown["late"] < 200 {
		t.Errorf("of 200 courses grow %v, want none without a leak and all with one", grown)
	}
}

// The run of 5,000 jobs (docs/records/016-soak), in which nothing leaked descriptors.
func TestMeasuredRunIsFlat(t *testing.T) {
	file, err := os.Open("../../docs/records/016-soak/auction-5000.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for _, row := range rows[1:] {
		var n [4]int
		for i, column := range []int{2, 3, 4, 5} {
			if n[i], err = strconv.Atoi(row[column]); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, sample{Process: row[0], Ended: n[0], Count: n[1], Memory: n[2], Descriptors: n[3]})
	}
	for _, name := range []string{"vclockd", "slurmctld", "slurmlabd run", "mariadbd", "slurmchannel"} {
		if g, ok := growthOf(all, name, 5000); !ok || !g.flat() {
			t.Errorf("%s: %+v, %v, want flat", name, g, ok)
		}
	}
}

// "CPU seconds per job ... for the last thousand" (issue 16).
func TestCost(t *testing.T) {
	all := course(constant(1), constant(1), func(ended int) float64 { return float64(ended*ended) / 100 })
	if got, ok := cost(all, "p", 100, 200); !ok || got != 300 {
		t.Errorf("jobs 100 to 200 took %g s, %v, want 300", got, ok)
	}
	if got, ok := cost(all, "p", 105, 110); !ok || got != 10.5 {
		t.Errorf("jobs 105 to 110 took %g s, %v, want half of those from 100 to 110", got, ok)
	}
	if _, ok := cost(all, "p", 900, 1100); ok {
		t.Error("jobs that never ended have a cost")
	}
}

// A cost that grows evenly is not taken for chance. Costs of 100, 120, 140 ... differ by 20 from neighbour to
// neighbour, and by 160 from the second part to the last one.
func TestCostWobble(t *testing.T) {
	all := course(constant(1), constant(1), func(ended int) float64 { return float64(ended*ended) / 1000 })
	if got := costWobble(all, "p", 100); math.Abs(got-20) > 1e-9 {
		t.Errorf("got %g, want 20", got)
	}
}

// What is written is read again; another file is one error with its line and column.
func TestCSV(t *testing.T) {
	all := []sample{{Process: "slurmlabd run", Seconds: 1, Ended: 2, Count: 1, Memory: 3, Descriptors: 4, Threads: 5, CPU: 0.5}}
	var out strings.Builder
	err := writeCSV(&out, all)
	want := "process,real_s,jobs_ended,processes,memory_kib,descriptors,threads,cpu_s\nslurmlabd run,1.0,2,1,3,4,5,0.50\n"
	if err != nil || out.String() != want {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if read, err := readCSV(strings.NewReader(out.String()), "s.csv"); err != nil || !slices.Equal(read, all) {
		t.Errorf("got %v, %v", read, err)
	}
	for text, want := range map[string]string{
		"":                  "s.csv: EOF",
		"a,b,c,d,e,f,g,h\n": "s.csv:1: got the columns",
		strings.Replace(out.String(), ",3,", ",x,", 1): `s.csv:2: memory_kib: got "x", want a number`,
	} {
		if _, err := readCSV(strings.NewReader(text), "s.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
