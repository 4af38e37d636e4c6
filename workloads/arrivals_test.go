package workloads

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLoadArrivals(t *testing.T) {
	for name, content := range map[string]string{
		"a.txt": "# seconds\n0\n\n 7 # the second\r\n7\n31536000",
		"a.csv": "# origin\n" + csvHeader + "\n1,7,60,60,0,1,0,0,0,0,a\n2,0,60,60,0,1,0,0,0,0,a\n3,31536000,60,60,0,1,0,0,0,0,a\n4,7,60,60,0,1,0,0,0,0,a\n",
	} {
		times, err := LoadArrivals(write(t, name, content))
		if err != nil || !slices.Equal(times, []int{0, 7, 7, 31_536_000}) {
			t.Errorf("%s: got %v, %v", name, times, err)
		}
	}
	for _, tc := range []struct{ name, content, want string }{
		{"s.txt", "", "s.txt: arrivals: got 0, allowed 1..100000"},
		{"s.txt", "5\n4\nx\n-1\n6 7\n31536001\n9", `s.txt:2: arrival: got "4", allowed whole seconds in 5..31536000
s.txt:3: arrival: got "x", allowed whole seconds in 5..31536000
s.txt:4: arrival: got "-1", allowed whole seconds in 5..31536000
s.txt:5: arrival: got "6 7", allowed whole seconds in 5..31536000
s.txt:6: arrival: got "31536001", allowed whole seconds in 5..31536000`},
		{"s.csv", csvHeader + "\n1,x,60,60,0,1,0,0,0,0,a\n", `s.csv:2: arrival_s: got "x", allowed a whole number`},
		{"s.swf", "1 0\n", `read arrivals: got file "s.swf", allowed endings .csv, .txt`},
	} {
		_, err := LoadArrivals(write(t, tc.name, tc.content))
		wantError(t, err, tc.want)
	}
}

// Only the arrivals change, into the trace's first ones. Late jobs of ESP still come after all others. What run.json
// keeps gives the same jobs.
func TestWithArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"V.2", "1.NC.table3", "ESP-2"}).Draw(t, "workload")
		seed := rapid.Uint64().Draw(t, "seed")
		own, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		m := Machine{Name: "t", Nodes: 1408, Cores: 12, GPUs: 3}
		before, err := own.Jobs(m, seed)
		if err != nil {
			t.Fatal(err)
		}
		times := rapid.SliceOfN(rapid.IntRange(0, 3000), len(before), len(before)+5).Draw(t, "times")
		slices.Sort(times)
		changed, err := own.WithArrivals(times)
		if err != nil || changed.Name() != name+"-arrivals" {
			t.Fatalf("got %s, %v", changed.Name(), err)
		}
		after, err := changed.Jobs(m, seed)
		if err != nil || len(after) != len(before) {
			t.Fatalf("%d jobs, %v", len(after), err)
		}
		for i := range after {
			want := before[i]
			if want.Arrival = times[i]; want.Class == "Z" {
				want.Arrival = max(after[i-1].Arrival, []int{7200, 2400}[len(after)-1-i])
			}
			if after[i] != want {
				t.Fatalf("got %+v, want %+v", after[i], want)
			}
		}
		spec, err := changed.SpecJSON()
		if err != nil {
			t.Fatal(err)
		}
		if minimum, published := MinimumRuntime(spec); published {
			t.Fatalf("a published minimum of %s", minimum)
		}
		again, err := parseGenerator("again.yaml", spec)
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := again.Jobs(m, seed); err != nil || !reflect.DeepEqual(jobs, after) {
			t.Fatalf("run.json's spec gives other jobs (%v)", err)
		}
	})
}

func TestWithArrivalsFaults(t *testing.T) {
	list, err := Load(write(t, "jobs.txt", "60 -n 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = list.WithArrivals([]int{0})
	wantError(t, err, "override arrivals: got workload jobs, a fixed list of jobs, allowed generated workloads")
	own, err := Load("ESP-2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = own.WithArrivals([]int{5, 4})
	wantError(t, err, "override arrivals: arrival.times[1]: got 4, allowed 5..31536000")
	few, err := own.WithArrivals([]int{5, 6})
	if err != nil {
		t.Fatal(err)
	}
	_, err = few.Jobs(machine(t, "S"), 1)
	wantError(t, err, "generate workload ESP-2-arrivals on machine S: got 228 jobs, allowed 2 (the number of arrival.times)")
}

// Any bytes give arrivals in order or an error.
func FuzzParseArrivals(f *testing.F) {
	f.Add("# seconds\n0\n7\r\n7\n")
	f.Add("1\n0\n99999999999\n")
	f.Fuzz(func(t *testing.T, text string) {
		times, err := parseArrivals("f.txt", []byte(text))
		if err == nil && len((Arrival{Process: FromTrace, Times: times}).faults()) > 0 {
			t.Fatalf("accepted %v", times)
		}
	})
}
