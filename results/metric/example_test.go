package metric_test

import (
	"fmt"
	"log"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The metrics of a run, computed from its files, and one of them by the word that people use.
func ExampleCompute() {
	dir, run, err := trace.OpenRun("testdata/run")
	if err != nil {
		log.Fatal(err)
	}
	data, err := dir.LoadAs(run)
	if err != nil {
		log.Fatal(err)
	}
	m, err := metric.Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d jobs completed\n", m.Completed, m.Jobs)
	fmt.Printf("mean wait %.1f s, %.0f %% of the cores in use\n", m.Waiting.Mean, 100*m.CPUUtilization)
	// Output:
	// 6 of 7 jobs completed
	// mean wait 170.7 s, 64 % of the cores in use
}
