package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/plot"
)

// Each line and each panel has its name once, and the picture is one XML document with a dashed
// level for each bound that is known.
func TestMeansOver(t *testing.T) {
	lines := [][]plot.Mean{
		{{X: 1, Y: 1.1, Low: 1, High: 1.2}, {X: 6, Y: 1.5, Low: math.NaN(), High: math.NaN()}},
		{{X: 1, Y: 1.1, Low: 1.05, High: 1.15}, {X: 6, Y: 1.3, Low: 1.2, High: 1.4}},
	}
	var out bytes.Buffer
	err := plot.MeansOver(&out, "Benchmark", "analytics", []string{"first", "second"},
		plot.Means{Title: "Slowdown", Lines: lines, Bounds: []float64{1.5, math.NaN()}}, plot.Means{Title: "Dynamicity", Lines: lines, Bounds: []float64{math.NaN(), math.NaN()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second", "Slowdown", "Dynamicity"} {
		if n := strings.Count(out.String(), ">"+name+"<"); n != 1 {
			t.Errorf("%q is there %d times, want once", name, n)
		}
	}
	if n := strings.Count(out.String(), "dasharray"); n != 1 {
		t.Errorf("got %d dashed lines, want one", n)
	}
	for decoder := xml.NewDecoder(&out); err == nil; {
		_, err = decoder.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the picture is no XML: %v", err)
	}
	bad := lines[:1]
	for name, m := range map[string]plot.Means{"an empty panel": {Title: "empty"}, "the logarithm of -1": {Title: "log", Lines: bad, Bounds: []float64{-1}, Log: true}} {
		if err := plot.MeansOver(io.Discard, "x", "x", nil, m); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
	// An interval below 0 has no logarithm, and is drawn nevertheless.
	bad[0][0].Low = -1
	if err := plot.MeansOver(io.Discard, "x", "x", nil, plot.Means{Title: "log", Lines: bad, Bounds: []float64{math.NaN()}, Log: true}); err != nil {
		t.Error(err)
	}
}
