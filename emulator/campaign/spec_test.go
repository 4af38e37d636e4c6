package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// --windows makes a pair of runs of each window, whose jobs arrive from 0 on, and
// directories that differ.
func TestPairsOfWindows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.csv")
	header := "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class\n"
	if err := os.WriteFile(file, []byte(header+"1,10,60,120,0,8,0,0,0,0,x\n2,900,60,120,0,8,0,0,0,0,x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := Run{Spec: drive.Spec{Seed: 1}}
	var err error
	if r.Machine, err = workloads.LoadMachine("S"); err != nil {
		t.Fatal(err)
	}
	if r.Workload, err = workloads.Load(file); err != nil {
		t.Fatal(err)
	}
	r.Label = r.Workload.Name()
	replicas, err := r.Replicas(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	configs, err := Pairs(replicas, []Side{{Policy: policy.Policy{Name: "backfill"}}, {Policy: policy.Policy{Name: "auction"}}}, "out", run.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range configs {
		got = append(got, fmt.Sprintf("%s job %d at %d", filepath.Base(c.Dir), c.Jobs[0].ID, c.Jobs[0].Arrival))
	}
	want := []string{
		"S-trace-backfill-window1 job 1 at 0", "S-trace-auction-window1 job 1 at 0",
		"S-trace-backfill-window2 job 2 at 0", "S-trace-auction-window2 job 2 at 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
