package workloads

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// listOf is a CSV workload of one-core jobs with these arrivals.
func listOf(arrivals ...int) string {
	var b strings.Builder
	b.WriteString(csvHeader + "\n")
	for i, at := range arrivals {
		fmt.Fprintf(&b, "%d,%d,60,120,0,1,0,0,0,0,x\n", i+1, at)
	}
	return b.String()
}

// Windows have equal spans, of 50 s here, and begin at 0; the jobs keep their ids.
func TestWindows(t *testing.T) {
	w, err := Load(write(t, "trace.csv", listOf(199, 100, 149, 150, 170)))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := w.Windows(2)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2@0 3@49", "4@0 5@20 1@49"} {
		jobs, drawErr := parts[i].Jobs(machine(t, "S"), 7)
		if drawErr != nil {
			t.Fatal(drawErr)
		}
		var got []string
		for _, j := range jobs {
			got = append(got, fmt.Sprintf("%d@%d", j.ID, j.Arrival))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("window %d: got %s, want %s", i+1, got, want)
		}
		if number, of := parts[i].Window(); number != i+1 || of != 2 || parts[i].Name() != "trace" {
			t.Errorf("got %s, window %d of %d", parts[i].Name(), number, of)
		}
	}
	whole, err := w.Jobs(machine(t, "S"), 1)
	if err != nil || whole[0].Arrival != 100 {
		t.Errorf("the whole list has changed: %v, %v", whole, err)
	}
	if number, of := w.Window(); number != 0 || of != 0 {
		t.Errorf("the whole list: got window %d of %d", number, of)
	}
	_, err = w.Windows(6)
	wantError(t, err, "cut windows: got 6, of which 1 has no job of trace.csv; allowed at most 4 here")
	_, err = w.Windows(1)
	wantError(t, err, "cut windows: got 1, allowed 2..1000")
}

func TestWindowsOfGenerated(t *testing.T) {
	w, err := Load("V.2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Windows(3)
	wantError(t, err, "cut windows: workload V.2 is generated, allowed a list of jobs (.csv); its replicas have other seeds (--replicas)")
}

// Each job is in exactly one window, in the order of the windows.
func TestWindowsDivideTheJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arrivals := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 50).Draw(t, "arrivals")
		w, err := parseWorkload("trace.csv", []byte(listOf(arrivals...)))
		if err != nil {
			t.Fatal(err)
		}
		parts, err := w.Windows(rapid.IntRange(2, 5).Draw(t, "windows"))
		if err != nil {
			return
		}
		seen := map[int]bool{}
		latest := -1
		for _, p := range parts {
			least, most := arrivals[p.list.jobs[0].ID-1], latest
			for _, j := range p.list.jobs {
				seen[j.ID] = true
				least, most = min(least, arrivals[j.ID-1]), max(most, arrivals[j.ID-1])
			}
			if least <= latest {
				t.Fatalf("a job of %d s is in a window after one of %d s", least, latest)
			}
			latest = most
		}
		if len(seen) != len(arrivals) {
			t.Fatalf("got %d of %d jobs", len(seen), len(arrivals))
		}
	})
}
