package compare_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/workloads"
)

func machineS() workloads.Machine {
	return workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2}
}

func pairs(recorded, emulated []float64) []compare.TwinPair {
	var out []compare.TwinPair
	for i := range recorded {
		out = append(out, compare.TwinPair{Job: workloads.Job{ID: i + 1, Cores: 8}, Recorded: recorded[i], Emulated: emulated[i]})
	}
	return out
}

// Each verdict with waits that are just good enough for it, or just not.
func TestVerdicts(t *testing.T) {
	hours := []float64{3600, 7200, 0, 10800, 1800, 5400, 9000, 3000, 600, 12000}
	shifted := append(append([]float64{}, hours[1:]...), hours[0])
	scaled := func(factor float64) []float64 {
		out := make([]float64, len(hours))
		for i, h := range hours {
			out[i] = factor * h
		}
		return out
	}
	for name, c := range map[string]struct {
		recorded, emulated []float64
		want               compare.TwinVerdict
	}{
		"nobody waits":             {[]float64{0, 59}, []float64{59, 10}, compare.TwinIdle},
		"the same":                 {hours, hours, compare.TwinJobs},
		"a fifth longer":           {hours, scaled(1.2), compare.TwinJobs},
		"the same, of other jobs":  {hours, shifted, compare.TwinAverages},
		"half as long again":       {hours, scaled(1.5), compare.TwinRoughly},
		"half as long":             {hours, scaled(0.5), compare.TwinRoughly},
		"three times as long":      {hours, scaled(3), compare.NoTwin},
		"nobody waits in the run":  {hours, scaled(0), compare.NoTwin},
		"nobody waits on the site": {scaled(0), hours, compare.NoTwin},
	} {
		rows := compare.Twin(machineS(), pairs(c.recorded, c.emulated))
		if got := compare.JudgeTwin(rows[0]); got != c.want || got.Text() == "" {
			t.Errorf("%s: got %q, want %q: %+v", name, got, c.want, rows[0])
		}
	}
}

// A twin report names no user, account, QOS or job, so that it can be shared as it is (issue 19): its rows are partitions and sizes.
func TestNamesNobody(t *testing.T) {
	all := pairs([]float64{0, 100, 100, 1000}, []float64{10, 50, 200, 900})
	for i := range all {
		j := &all[i].Job
		j.User, j.Account, j.QOS, j.Class, j.Reservation, j.Partition = "eve", "astro", "long", "find-planets", "course", []string{"thin", "fat"}[i%2]
	}
	out, err := compare.TwinTable(compare.Twin(machineS(), all))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err = out.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"eve", "astro", "long", "find-planets", "course"} {
		if strings.Contains(text.String(), name) {
			t.Errorf("the report names %s:\n%s", name, text.String())
		}
	}
	if !strings.Contains(text.String(), "thin") {
		t.Errorf("the report has no partitions:\n%s", text.String())
	}
}

// By hand, with waits of less than a minute as a minute: means of 315 s and 305 s; ranks 1, 2.5, 2.5, 4 against
// 1.5, 1.5, 3, 4 correlate with 3.75 / 4.5.
func TestRow(t *testing.T) {
	row := compare.Twin(machineS(), pairs([]float64{0, 100, 100, 1000}, []float64{10, 50, 200, 900}))[0]
	want := compare.TwinRow{
		Name: "all jobs", Jobs: 4, Recorded: compare.TwinWaits{Mean: 300, Median: 100, P90: 1000}, Emulated: compare.TwinWaits{Mean: 290, Median: 50, P90: 900},
		Ratio: 305.0 / 315, Distance: 0.25, Correlation: 3.75 / 4.5, Near: 0.75,
	}
	if math.Abs(row.Correlation-want.Correlation) > 1e-12 {
		t.Errorf("correlation %v, want %v", row.Correlation, want.Correlation)
	}
	row.Correlation = want.Correlation
	if row != want {
		t.Errorf("got %+v\nwant %+v", row, want)
	}
	if rows := compare.Twin(machineS(), nil); rows != nil {
		t.Errorf("no pairs have rows %v", rows)
	}
}

// Whether a job starts at once or after some seconds is no distance, and nobody's wait in the record is no ratio of infinity.
func TestSecondsAreNoDistance(t *testing.T) {
	row := compare.Twin(machineS(), pairs([]float64{0, 0, 0, 0, 600}, []float64{1, 3, 20, 59, 600}))[0]
	if row.Distance != 0 || row.Ratio != 1 || row.Near != 1 {
		t.Errorf("got %+v, want no distance, a ratio of 1 and all near", row)
	}
	row = compare.Twin(machineS(), pairs([]float64{0, 0}, []float64{60, 180}))[0]
	if row.Ratio != 2 || row.Distance != 0.5 {
		t.Errorf("got %+v, want a ratio of 2 and a distance of 0.5", row)
	}
}

// Rows of partitions and sizes have each job once, and the order of the jobs does not matter.
func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []compare.TwinPair
		for i := range rapid.IntRange(1, 60).Draw(t, "jobs") {
			j := workloads.Job{ID: i + 1, Cores: rapid.IntRange(1, 1024).Draw(t, "cores")}
			j.Partition = rapid.SampledFrom([]string{"", "gpu", "long"}).Draw(t, "partition")
			all = append(all, compare.TwinPair{Job: j, Recorded: float64(rapid.IntRange(0, 9).Draw(t, "recorded") * 100), Emulated: float64(rapid.IntRange(0, 9).Draw(t, "emulated") * 100)})
		}
		rows := compare.Twin(machineS(), all)
		jobs := map[string]int{}
		for _, r := range rows {
			jobs[r.By] += r.Jobs
			if r.Distance < 0 || r.Distance > 1 || r.Near < 0 || r.Near > 1 || math.Abs(r.Correlation) > 1+1e-9 {
				t.Errorf("%+v", r)
			}
		}
		for by, n := range jobs {
			if n != len(all) {
				t.Errorf("%d of %d jobs by %q", n, len(all), by)
			}
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i, r := range compare.Twin(machineS(), all) {
			same := r.Name == rows[i].Name && r.Jobs == rows[i].Jobs && math.Abs(r.Recorded.Mean-rows[i].Recorded.Mean) < 1e-9 &&
				(math.Abs(r.Correlation-rows[i].Correlation) < 1e-9 || math.IsNaN(r.Correlation)) && r.Distance == rows[i].Distance && r.Near == rows[i].Near
			if !same {
				t.Errorf("got %+v, want %+v", r, rows[i])
			}
		}
	})
}
