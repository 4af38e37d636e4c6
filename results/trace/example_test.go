package trace_test

import (
	"fmt"
	"log"

	"github.com/slurmlab/slurmlab/results/trace"
)

// The jobs of a run that slurmlab has made, with what was asked for and what came of it.
func ExampleOpenRun() {
	dir, run, err := trace.OpenRun("testdata/run")
	if err != nil {
		log.Fatal(err)
	}
	data, err := dir.LoadAs(run)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Policy, "on", run.Machine.Nodes, "nodes:", len(data.Jobs), "jobs")
	for _, j := range data.Jobs[:3] {
		fmt.Printf("job %d waited %.0f s and had %d nodes\n", j.ID, j.Waiting(), len(j.Allocated))
	}
	// Output:
	// auction on 4 nodes: 5 jobs
	// job 1 waited 0 s and had 3 nodes
	// job 2 waited 100 s and had 2 nodes
	// job 3 waited 151 s and had 4 nodes
}
