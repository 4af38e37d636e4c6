package workloads_test

import (
	"fmt"
	"log"
	"os"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

// The jobs of a named workload on a named machine: the same seed draws the same jobs.
func ExampleLoad() {
	machine, err := workloads.LoadMachine("S")
	if err != nil {
		log.Fatal(err)
	}
	workload, err := workloads.Load("V.2")
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := workload.Jobs(machine, 1)
	if err != nil {
		log.Fatal(err)
	}
	s := profile.Summarise(machine, jobs)
	fmt.Printf("%d jobs on %d nodes, %.1f h if no core were ever idle\n", s.Jobs, machine.Nodes, s.Theoretical/3600)
	if err = workloads.WriteCSV(os.Stdout, jobs[:2]); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 464 jobs on 128 nodes, 4.0 h if no core were ever idle
	// job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class
	// 1,0,216,480,104,104,1,1,1,0,gpu1
	// 2,0,570,1020,0,120,0,0,0,1,type1
}
