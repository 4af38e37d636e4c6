package compare

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/slurmlab/slurmlab/results/trace"
)

// TestClockMarkdown writes testdata/clocks: the comparison of five real runs
// with five under the jump clock, and the repeatability of the first.
func TestClockMarkdown(t *testing.T) {
	speed := 45.5
	a := timed("real", 6.1, 6.2, 6, 6.15, 6.05)
	b := timed("jump", 6.12, 6.19, 6.02, 6.11, 6.08)
	for i := range b {
		b[i].Metrics.Speed = &speed
		b[i].Jobs[2].Start += float64(i)
		b[i].Metrics.ElapsedError.Mean = 0.08
		a[i].Metrics.ElapsedError.Mean = 0.5 + 0.01*float64(i)
	}
	a[3].Jobs[1].Start = trace.NeverStarted
	c, err := Clocks(a, b)
	if err != nil {
		t.Fatal(err)
	}
	repeated, err := Repeat(b)
	if err != nil {
		t.Fatal(err)
	}
	datadriven.RunTest(t, "testdata/clocks", func(t *testing.T, d *datadriven.TestData) string {
		var out bytes.Buffer
		switch d.Cmd {
		case "clocks":
			err = c.WriteMarkdown(&out)
		case "repeat":
			err = repeated.WriteMarkdown(&out)
		case "csv":
			metrics, tableErr := c.MetricTable()
			if tableErr != nil {
				d.Fatalf(t, "%v", tableErr)
			}
			err = metrics.WriteCSV(&out)
		default:
			d.Fatalf(t, "unknown command %s", d.Cmd)
		}
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return out.String()
	})
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestClockMarkdownReportsWriteErrors(t *testing.T) {
	c, err := Clocks(timed("real", 6, 7), timed("jump", 6, 7))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WriteMarkdown(fullDisk{}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got error %v", err)
	}
}
