package workloads

import (
	"strings"
	"testing"
)

// Each case changes one thing of a good job for machine S (128 nodes of 8
// cores and 2 GPUs).
func TestJobValidate(t *testing.T) {
	cores := Job{ID: 7, Runtime: 60, Limit: 120, Cores: 64, Class: "type1"}
	node := Job{ID: 7, Runtime: 60, Limit: 120, Nodes: 16, Cores: 64, CoresPerNode: 4, GPUsMin: 1, GPUsMax: 2, Class: "gpu1-2"}
	for _, tc := range []struct {
		name string
		base Job
		edit func(*Job)
		want string
	}{
		{"cores only", cores, func(*Job) {}, ""},
		{"whole machine", cores, func(j *Job) { j.Cores = 1024 }, ""},
		{"type 2", node, func(j *Job) { j.CoresPerNode, j.Cores = 0, 128 }, ""},
		{"type 3 on all nodes", node, func(j *Job) { j.Nodes, j.CoresPerNode, j.Cores = 128, 8, 1024 }, ""},
		{"cores over the machine", cores, func(j *Job) { j.Cores = 1025 },
			"job 7: cores: got 1025, allowed 1..1024 (all cores of machine S)"},
		{"cores over the nodes", node, func(j *Job) { j.CoresPerNode, j.Cores = 0, 129 },
			"job 7: cores: got 129, allowed 16..128 (cores of 16 nodes of machine S)"},
		{"nodes", node, func(j *Job) { j.Nodes, j.Cores = 129, 516 },
			"job 7: nodes: got 129, allowed 0..128 (nodes of machine S)"},
		{"cores per node", node, func(j *Job) { j.CoresPerNode, j.Cores = 9, 144 },
			"job 7: cores_per_node: got 9, allowed 0..8 (cores of a node of machine S)"},
		{"gpus", node, func(j *Job) { j.GPUsMax = 3 }, "job 7: gpus_max: got 3, allowed 0..2 (GPUs of a node of machine S)"},
		{"product", node, func(j *Job) { j.Cores = 65 }, "job 7: cores: got 65, allowed nodes*cores_per_node=64"},
		{"no total", node, func(j *Job) { j.Cores = 0 }, "job 7: cores: got 0, allowed nodes*cores_per_node=64"},
		{"nothing asked for", cores, func(j *Job) { j.Cores = 0 }, "job 7: cores: got 0, allowed 1..10240000"},
		{"a node without core", node, func(j *Job) { j.CoresPerNode, j.Cores = 0, 15 }, "job 7: cores: got 15, allowed at least nodes=16"},
		{"cores per node without nodes", cores, func(j *Job) { j.CoresPerNode = 4 }, "job 7: cores_per_node: got 4, allowed 0 without nodes"},
		{"range upside down", node, func(j *Job) { j.GPUsMin, j.GPUsMax = 2, 1 }, "job 7: gpus_min: got 2, allowed 1..gpus_max=1"},
		{"range from 0", node, func(j *Job) { j.GPUsMin = 0 }, "job 7: gpus_min: got 0, allowed 1..gpus_max=2"},
		{"limit", cores, func(j *Job) { j.Limit = 59 }, "job 7: limit_s: got 59, allowed runtime_s=60..31536000"},
		{"run time", cores, func(j *Job) { j.Runtime = 0 }, "job 7: runtime_s: got 0, allowed 1..31536000"},
		{"arrival", cores, func(j *Job) { j.Arrival = -1 }, "job 7: arrival_s: got -1, allowed 0..31536000"},
		{"class", cores, func(j *Job) { j.Class = "a,b" }, `job 7: class: got "a,b", allowed 1..32 of letters, digits, -, _ and .`},
		{"several", node, func(j *Job) { j.ID, j.Nodes, j.Cores, j.GPUsMax = 0, 200, 800, 5 },
			`job 0: job_id: got 0, allowed 1..999999999
job 0: nodes: got 200, allowed 0..128 (nodes of machine S)
job 0: gpus_max: got 5, allowed 0..2 (GPUs of a node of machine S)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := tc.base
			tc.edit(&j)
			var got []string
			for _, err := range j.Validate(machine(t, "S")) {
				got = append(got, err.Error())
			}
			if text := strings.Join(got, "\n"); text != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", text, tc.want)
			}
		})
	}
}
