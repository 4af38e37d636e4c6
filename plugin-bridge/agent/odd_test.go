package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// A held job whose AdminComment somebody else has set, as with "scontrol update
// AdminComment=", is an obstacle of its own, in words: the agent schedules the others.
func TestForeignAdminCommentStopsNobodyElse(t *testing.T) {
	cluster := slurmtest.New(slurmtest.Config{Nodes: 2, Cores: 8, GPUs: 2,
		JobSubmit: func(string) (int, string, bool) { return 1, "ask Anna", true }})
	client := &slurmctl.Client{Runner: cluster}
	for i, gpus := range []int{1, 0} {
		if _, err := client.Submit(t.Context(), sbatch.Request{
			Name: string(rune('1' + i)), Tasks: 4, GPUsMin: gpus, GPUsMax: gpus, TimeLimit: time.Hour, Hold: true,
			Script: "#!/bin/sh\nsleep 600\n",
		}); err != nil {
			t.Fatal(err)
		}
	}
	record, err := newAgent(agent.NewSlurm(client, cluster)).Cycle(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(record.Released) != 1 || record.Released[0].Job != 2 {
		t.Errorf("released %+v, want job 2 alone", record.Released)
	}
	if len(record.Unplaced) != 1 || record.Unplaced[0].Job != 1 || !strings.Contains(record.Unplaced[0].Reason, `its AdminComment "ask Anna"`) {
		t.Errorf("unplaced %+v, want job 1 with the comment", record.Unplaced)
	}
}
