package plot_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// A Gantt chart of jobs from anywhere: what it needs is when they ran, and where.
func ExampleGantt() {
	job := func(id int, start, finish float64, nodes ...int) trace.FinishedJob {
		return trace.FinishedJob{
			Job: workloads.Job{ID: id, Cores: 8 * len(nodes), Runtime: int(finish - start), Limit: 3600}, State: "COMPLETED",
			Start: start, Finish: finish, Allocated: nodes, AllocCores: 8 * len(nodes),
		}
	}
	var picture bytes.Buffer
	err := plot.Gantt(&picture, plot.Schedule{
		Name: "mine", Machine: workloads.Machine{Name: "mini", Nodes: 4, Cores: 8},
		Jobs: []trace.FinishedJob{job(1, 0, 600, 0, 1), job(2, 60, 300, 2), job(3, 600, 900, 0, 1, 2, 3)},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("an SVG file:", bytes.Contains(picture.Bytes(), []byte("</svg>")))
	// Output: an SVG file: true
}
