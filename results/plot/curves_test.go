package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
)

// Each line has its name once, whatever panel that is above, and the picture is one XML
// document.
func TestCurves(t *testing.T) {
	names := []string{"slurmctld", "slurmdbd", "mariadbd", "runner", "agent"}
	var lines [][]metric.Point
	for i := range names {
		lines = append(lines, []metric.Point{{T: 0, V: float64(i)}, {T: 1000, V: float64(100 * i)}})
	}
	var out bytes.Buffer
	err := plot.Curves(&out, "Processes", "jobs that have ended", 1000, names,
		plot.Lines{Title: "Memory", Unit: "MiB", Points: lines}, plot.Lines{Title: "Descriptors", Unit: "open files", Points: lines})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "Memory", "Descriptors", "open files") {
		if n := strings.Count(out.String(), ">"+name+"<"); n != 1 {
			t.Errorf("%q is there %d times, want once", name, n)
		}
	}
	for decoder := xml.NewDecoder(&out); err == nil; {
		_, err = decoder.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the picture is no XML: %v", err)
	}
}
