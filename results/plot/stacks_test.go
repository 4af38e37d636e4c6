package plot

import (
	"io"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
)

// A part that another one takes half from stands below it, and one that has nothing is not
// drawn. By hand: the simulation has 4 cores, from 10 to 20 s 2 of them, the analytics 2 then.
func TestStacks(t *testing.T) {
	parts := [][]metric.Point{{{T: 0, V: 4}, {T: 10, V: 2}, {T: 20, V: 4}, {T: 40, V: 0}}, {{T: 10, V: 2}, {T: 20, V: 0}}}
	p := look(t, func(w io.Writer) error {
		return Stacks(w, "One sample", "cores", 50, 4, []string{"simulation", "analytics"},
			Stack{Title: "lending", Note: "2 of 4", Parts: parts, Marks: []float64{9}}, Stack{Title: "nothing", Parts: [][]metric.Point{nil, nil}})
	})
	for _, text := range []string{"simulation", "analytics", "lending", "2 of 4", "cores"} {
		if !p.has(text) {
			t.Errorf("no %q in %q", text, p.texts)
		}
	}
	rectangles := map[string]int{}
	for _, s := range p.paths {
		if s.rectangles() > 0 && s.fill != "" {
			rectangles[strings.ToUpper(s.fill)] += s.rectangles()
		}
	}
	// And one swatch each: 0 to 10 to 20 to 40 s, and 10 to 20 s.
	if rectangles["#0072B2"] != 3+1 || rectangles["#E69F00"] != 1+1 {
		t.Errorf("got %v", rectangles)
	}
	for _, panels := range [][]Stack{nil, {{Title: "one part", Parts: parts[:1]}}} {
		if err := Stacks(io.Discard, "x", "cores", 1, 1, []string{"a", "b"}, panels...); err == nil {
			t.Errorf("%d panels are drawn", len(panels))
		}
	}
}
