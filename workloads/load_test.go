package workloads

import (
	"reflect"
	"testing"
	"time"
)

func TestLoadFiles(t *testing.T) {
	m := machine(t, "S")
	for _, tc := range []struct {
		file, content, name, json string
	}{
		{"few jobs/mine.txt", "60 -n 8\n", "mine",
			`{"file":"mine.txt","sha256":"57e1faa3c6e05cca1446077df1b208795f258f45afd63cf3da3c0f22f0b577a6"}`},
		{"mine-2.csv", csvHeader + "\r\n1,0,60,120,0,8,0,0,0,0,type1\r\n", "mine-2",
			`{"file":"mine-2.csv","sha256":"339795c5013a4dc0685b867ed83200cb337778a9a7c3339c33b59ce8a611d7eb"}`},
		{"mine.yml", "estimated_runtime: 1m\ncontiguous: 1\n" + oneType, "mine",
			`{"name":"mine","max_cores":0.2,"estimated_runtime":"1m0s","runtime":{"min":"1m0s","max":"10m0s"},"contiguous":1,` +
				`"types":[{"class":"a","share":1}],"arrival":{"process":"at-once"},"limit":{"factor":1.5,"add":"2m0s"}}`},
		{"other.yaml", "name: mine.3\ntheoretical_runtime: 1m\narrival: {process: fixed, interval: 30s}\n" + oneType, "mine.3",
			`{"name":"mine.3","max_cores":0.2,"estimated_runtime":"1m0s","runtime":{"min":"1m0s","max":"10m0s"},"contiguous":0,` +
				`"types":[{"class":"a","share":1}],"arrival":{"process":"fixed","interval":"30s"},"limit":{"factor":1.5,"add":"2m0s"}}`},
	} {
		t.Run(tc.file, func(t *testing.T) {
			w, err := Load(write(t, tc.file, tc.content))
			if err != nil {
				t.Fatal(err)
			}
			if w.Name() != tc.name {
				t.Errorf("got name %q, want %q", w.Name(), tc.name)
			}
			got, err := w.SpecJSON()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.json {
				t.Errorf("got  %s\nwant %s", got, tc.json)
			}
			jobs, err := w.Jobs(m, 1)
			if err != nil || len(jobs) == 0 {
				t.Errorf("got %d jobs, %v", len(jobs), err)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	for _, tc := range []struct{ name, file, content, arg, want string }{
		{"unknown name", "x", "", "VI.1",
			`find workload: no workload "VI.1", allowed a name of slurmlab workload list or a .yaml, .yml, .csv, .txt file; did you mean "I.1"?`},
		{"a family is no workload", "x", "", "V",
			`find workload: no workload "V", allowed a name of slurmlab workload list or a .yaml, .yml, .csv, .txt file; did you mean "V.1"?`},
		{"other ending", "x", "", "./jobs.swf", "read workload: got file ./jobs.swf, allowed endings .yaml, .yml, .csv, .txt; a trace becomes a .csv file by slurmlab workload import"},
		{"no such file", "x", "", "jobs.csv", "read workload: open jobs.csv: no such file or directory"},
		{"bad spec", "s.yaml", "types: []\n", "s.yaml", "s.yaml:1: types: got none, allowed at least one job type"},
		{"bad csv", "s.csv", csvHeader + "\n", "s.csv", "s.csv: jobs: got 0, allowed 1..100000"},
		{"bad text", "s.txt", "60\n", "s.txt", "s.txt:1: job 1: cores: got 0, allowed 1..10240000"},
		{"bad file name", "my\tjobs.txt", "60 -n 1\n", "my\tjobs.txt", `"my\tjobs.txt": file name: got "my\tjobs", allowed are printable characters other than /`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			write(t, tc.file, tc.content)
			_, err := Load(tc.arg)
			wantError(t, err, tc.want)
		})
	}
}

// A list is put in the order of submission; jobs of one second keep theirs.
func TestListIsOrderedByArrival(t *testing.T) {
	w, err := Load(write(t, "w.csv", csvHeader+`
1,20,60,120,0,8,0,0,0,0,a
2,10,60,120,0,8,0,0,0,0,a
4,0,60,120,0,8,0,0,0,0,a
3,10,60,120,0,8,0,0,0,0,a
`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second call must not see the first one's order
		jobs, err := w.Jobs(machine(t, "S"), 0)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int
		for _, j := range jobs {
			ids = append(ids, j.ID)
		}
		if want := []int{4, 2, 3, 1}; !reflect.DeepEqual(ids, want) {
			t.Errorf("got %v, want %v", ids, want)
		}
		jobs[0].ID = 99
	}
}

func TestListTooLargeForMachine(t *testing.T) {
	w, err := Load(write(t, "w.txt", "# for tsubame\n60 -n 1024\n60 -N 129 --gres=gpu:3\n60 -n 1025\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Jobs(machine(t, "S"), 0)
	wantError(t, err, `w.txt:3: job 2: nodes: got 129, allowed 0..128 (nodes of machine S)
w.txt:3: job 2: gpus_max: got 3, allowed 0..2 (GPUs of a node of machine S)
w.txt:4: job 3: cores: got 1025, allowed 1..1024 (all cores of machine S)`)
	if _, err := w.Jobs(machine(t, "tsubame"), 0); err != nil {
		t.Error(err)
	}
	if _, err := w.Jobs(Machine{Name: "x"}, 0); err == nil {
		t.Error("a machine without nodes is accepted")
	}
}

func TestWithEstimatedRuntime(t *testing.T) {
	m := machine(t, "S")
	v2, err := Load("V.2")
	if err != nil {
		t.Fatal(err)
	}
	short, err := v2.WithEstimatedRuntime(30 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	// The override leaves the workload that it came from alone.
	for w, want := range map[*Workload]time.Duration{&v2: 4 * time.Hour, &short: 30 * time.Minute} {
		jobs, failure := w.Jobs(m, 1)
		if failure != nil {
			t.Fatal(failure)
		}
		if got := theoretical(jobs, m); (got - want).Abs() > want/50 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if short.Name() != "V.2" {
		t.Errorf("got name %q", short.Name())
	}
	_, err = v2.WithEstimatedRuntime(0)
	wantError(t, err, "theoretical-runtime: got 0s, allowed 1s..720h0m0s in steps of 1s")
	list, err := Load(write(t, "w.txt", "60 -n 8\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = list.WithEstimatedRuntime(time.Hour)
	wantError(t, err, "theoretical-runtime: got workload w, a fixed list of jobs, allowed generated workloads")
}
