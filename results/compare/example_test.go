package compare_test

import (
	"fmt"
	"log"
	"path/filepath"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Two policies side by side: the runs of a seed make a pair. A single pair has a difference
// and no interval.
func ExampleCompare() {
	read := func(name string) []metric.Result {
		path := filepath.Join("../../cmd/slurmlab/internal/cli/testdata/runs", name)
		dir, run, err := trace.OpenRun(path)
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
		return []metric.Result{{Path: path, Data: data, Metrics: &m}}
	}
	c, err := compare.Compare(read("S-V.2-backfill-seed1"), read("S-V.2-auction-seed1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.A, "and", c.B, "on", c.Machine, "with seeds", c.Seeds)
	for _, d := range c.Differences {
		if d.Name == "waiting_mean_h" {
			fmt.Printf("mean wait: %+.1f min\n", 60*d.Mean)
		}
	}
	// Output:
	// backfill and auction on S with seeds [1]
	// mean wait: -0.3 min
}
