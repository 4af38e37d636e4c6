//go:build integration

package drive_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// A run on a cluster of one's own: slurmlabd in the cluster reads a Request, and its output
// is Events, one a line.
func ExampleRequest() {
	ctx := context.Background()
	backfill, err := policy.Find(policy.Backfill)
	if err != nil {
		log.Fatal(err)
	}
	request := drive.Request{
		Spec: drive.Spec{
			Machine: workloads.Machine{Name: "mini", Nodes: 4, Cores: 8, GPUs: 2}, Policy: backfill,
			Jobs: []workloads.Job{
				{ID: 1, Runtime: 3600, Limit: 7200, Cores: 32, Class: "a"},
				{ID: 2, Runtime: 60, Limit: 300, Cores: 4, Nodes: 1, GPUsMin: 2, GPUsMax: 2, Class: "b"},
			},
		},
	}
	cluster, err := slurm.Run(ctx, cmp.Or(os.Getenv("IMAGE"), "slurmlab:latest"), slurm.WithMachine(4, 8, 2),
		slurm.WithScheduler(backfill.Scheduler), slurm.WithPriority(backfill.Priority), slurm.WithClock(clock.Settings{Kind: clock.KindJump}))
	defer func() {
		if cluster != nil {
			_ = testcontainers.TerminateContainer(cluster)
		}
	}()
	if err != nil {
		log.Print(err)
		return
	}
	input, feed := io.Pipe()
	output, events := io.Pipe()
	// The end of the input stops a run, so that it stays open.
	go func() { _ = json.NewEncoder(feed).Encode(request) }()
	go func() {
		_, streamErr := cluster.Stream(ctx, nil, input, events, os.Stderr, "slurmlabd", "run")
		_ = events.CloseWithError(cmp.Or(streamErr, io.EOF))
	}()
	for lines := json.NewDecoder(output); ; {
		var e drive.Event
		if err = lines.Decode(&e); err != nil {
			log.Print(err)
			return
		}
		if e.End != nil {
			if e.End.Reason != "" {
				log.Print(e.End.Reason)
			}
			fmt.Println(e.End.Status)
			break
		}
	}
	rows, err := cluster.Run(ctx, nil, "sacct", "-X", "-n", "-P", "-o", "JobName,State")
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Print(string(rows))
	// Output:
	// complete
	// 1|COMPLETED
	// 2|COMPLETED
}
