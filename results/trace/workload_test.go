package trace

import (
	"os"
	"strings"
	"testing"
)

const workloadHeader = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class\n"

func TestReadWorkload(t *testing.T) {
	jobs, err := ReadWorkload(strings.NewReader(workloadHeader+"3,5,60,600,2,8,4,1,2,1,gpu2\n"), "workload.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := WorkloadJob{ID: 3, Arrival: 5, Runtime: 60, Limit: 600, Nodes: 2, Cores: 8, CoresPerNode: 4, GPUsMin: 1, GPUsMax: 2, Contiguous: true, Class: "gpu2"}
	if len(jobs) != 1 || jobs[0] != want {
		t.Errorf("got %+v", jobs)
	}
}

func TestReadWorkloadFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "w.csv:1: header: want job_id,arrival_s"},
		{"other header", strings.Replace(workloadHeader, "cores,", "cpus,", 1), "w.csv:1: header"},
		{"short header", "job_id\n1\n", "w.csv:1: header"},
		{"short line", workloadHeader + "1,2\n", "w.csv:2: wrong number of fields"},
		{"text", workloadHeader + "1,soon,60,0,0,8,0,0,0,0,x\n", `w.csv:2: column arrival_s: "soon"`},
		{"negative", workloadHeader + "1,0,-60,0,0,8,0,0,0,0,x\n", `column runtime_s: "-60"`},
		{"fraction", workloadHeader + "1,0,1.5,0,0,8,0,0,0,0,x\n", `column runtime_s: "1.5"`},
		{"no cores", workloadHeader + "1,0,60,0,0,0,0,0,0,0,x\n", "column cores"},
		{"gpus", workloadHeader + "1,0,60,0,0,8,0,2,1,0,x\n", "column gpus_max"},
		{"flag", workloadHeader + "1,0,60,0,0,8,0,0,0,true,x\n", "column contiguous"},
		{"same id", workloadHeader + "1,0,60,0,0,8,0,0,0,0,x\n1,0,60,0,0,8,0,0,0,0,x\n", "w.csv:3: column job_id: \"1\": want an id of its own, line 2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadWorkload(strings.NewReader(test.text), "w.csv")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func FuzzReadWorkload(f *testing.F) {
	text, err := os.ReadFile("testdata/run/workload.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := ReadWorkload(strings.NewReader(text), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		ids := map[int]bool{}
		for _, j := range jobs {
			if ids[j.ID] || j.Cores < 1 || j.GPUsMin > j.GPUsMax || j.Runtime < 0 {
				t.Errorf("accepted %+v", j)
			}
			ids[j.ID] = true
		}
	})
}
