package agent

import (
	"strings"
	"testing"
	"time"
)

func TestParseNote(t *testing.T) {
	tests := []struct {
		text string
		want note
		err  string
	}{
		{"slurmlab tasks=4 nodes=2 tasks_per_node=0", note{tasks: 4, nodes: 2}, ""},
		{"slurmlab tasks=4 nodes=2 tasks_per_node=2 gpus=1-3", note{tasks: 4, nodes: 2, tasksPerNode: 2, gpus: 1, maxGPUs: 3}, ""},
		{"slurmlab nodelist=n[1-2,4] exclude=n9 mem_per_node=100 mem_per_cpu=7 cpus_per_task=2",
			note{required: "n[1-2,4]", excluded: "n9", memoryPerNode: 100, memoryPerCPU: 7, cpusPerTask: 2}, ""},
		{"slurmlab nice=-5 begin=1893456000", note{nice: -5, begin: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}, ""},
		{"slurmlab tasks=4 script=1861920010-7", note{tasks: 4}, ""},
		{"slurmlab tasks=4 exclusive=1", note{tasks: 4, exclusive: 1}, ""},
		{"slurmlab nice=much", note{}, "invalid syntax"},
		{"slurmlab gpus=2", note{gpus: 2, maxGPUs: 2}, ""},
		{"", note{}, "is not the one that job_submit.lua wrote"},
		{"tasks=4", note{}, "is not the one that job_submit.lua wrote"},
		{"slurmlab tasks=-4", note{}, "want a whole number"},
		{"slurmlab gpus=3-1", note{}, "want a range LOW-HIGH"},
		{"slurmlab gpus=0-1", note{}, "want a range LOW-HIGH"},
		{"slurmlab gpus=1-", note{}, "want a range LOW-HIGH"},
		{"slurmlab colour=red", note{}, "unknown word"},
	}
	for _, tt := range tests {
		got, err := parseNote(tt.text)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %+v, %v, want %+v, %q", tt.text, got, err, tt.want, tt.err)
		}
	}
}

// Whatever an administrator writes into the comment, reading it does not crash,
// and what is read is a request that can be made.
func FuzzParseNote(f *testing.F) {
	f.Add("slurmlab tasks=4 nodes=2 tasks_per_node=2 gpus=1-3")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseNote(text)
		if err != nil {
			return
		}
		if n.tasks < 0 || n.nodes < 0 || n.tasksPerNode < 0 || n.gpus < 0 || n.maxGPUs < n.gpus || n.gpus == 0 && n.maxGPUs > 0 {
			t.Errorf("%q: %+v", text, n)
		}
	})
}
