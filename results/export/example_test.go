package export_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/slurmlab/slurmlab/results/export"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// A run as a file of the Standard Workload Format.
func ExampleWrite() {
	dir, run, err := trace.OpenRun("../trace/testdata/run")
	if err != nil {
		log.Fatal(err)
	}
	data, err := dir.LoadAs(run)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err = export.Write(&file, "swf", interchange.Core, data); err != nil {
		log.Fatal(err)
	}
	jobs := 0
	for line := range strings.Lines(file.String()) {
		if !strings.HasPrefix(line, ";") {
			jobs++
		}
	}
	fmt.Println(jobs == len(data.Jobs))
	// Output: true
}
