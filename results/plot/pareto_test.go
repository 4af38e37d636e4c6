package plot

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// Every policy is named, dominated ones are hollow, and a picture without a point is an error.
func TestPareto(t *testing.T) {
	nan := math.NaN()
	points := []ParetoPoint{
		{Name: "good", X: 1, LowX: 0.5, HighX: 1.5, Y: 50, LowY: 40, HighY: 60},
		{Name: "bad", X: 1.1, LowX: nan, HighX: nan, Y: 50, LowY: nan, HighY: nan, Dominated: true},
	}
	draw := func(points ...ParetoPoint) string {
		var svg bytes.Buffer
		if err := Pareto(&svg, "Policies", "Waiting time h", "CPU utilisation %", ParetoPanel{Title: "V.2 on S", Points: points}); err != nil {
			t.Fatal(err)
		}
		return svg.String()
	}
	both := draw(points...)
	for _, word := range []string{"good", "bad", "V.2 on S", "Waiting time h", "CPU utilisation %", "dominated"} {
		if !strings.Contains(both, ">"+word) {
			t.Errorf("the picture lacks %q", word)
		}
	}
	// One white rectangle is the ground, the other the middle of the hollow point.
	white := func(svg string) int { return strings.Count(svg, "fill:#FFFFFF") }
	if got, alone := white(both), white(draw(points[0])); got != alone+1 {
		t.Errorf("got %d white areas with a dominated point, %d without", got, alone)
	}
	if err := Pareto(&bytes.Buffer{}, "", "", ""); err == nil {
		t.Error("a picture of nothing was drawn")
	}
	if err := Pareto(&bytes.Buffer{}, "", "", "", ParetoPanel{}); err == nil {
		t.Error("a panel of nothing was drawn")
	}
}

// Points that coincide can be counted: each but the first is a ring around the others, and all are named.
func TestParetoCoinciding(t *testing.T) {
	nan := math.NaN()
	draw := func(n int) string {
		var points []ParetoPoint
		for i := range n {
			points = append(points, ParetoPoint{Name: string(rune('a' + i)), X: 1, LowX: nan, HighX: nan, Y: 50, LowY: nan, HighY: nan})
		}
		var svg bytes.Buffer
		if err := Pareto(&svg, "Policies", "Waiting time h", "CPU utilisation %", ParetoPanel{Title: "V.2 on S", Points: points}); err != nil {
			t.Fatal(err)
		}
		return svg.String()
	}
	white := func(svg string) int { return strings.Count(svg, "fill:#FFFFFF") }
	one, three := draw(1), draw(3)
	if got := white(three) - white(one); got != 2 {
		t.Errorf("three points in one place have %d rings, want 2", got)
	}
	heights := map[string]bool{}
	for _, name := range []string{">a<", ">b<", ">c<"} {
		before, _, there := strings.Cut(three, name)
		if !there {
			t.Fatalf("the picture lacks %s", name)
		}
		text := before[strings.LastIndex(before, "<text"):]
		heights[text[strings.Index(text, "y="):][:12]] = true
	}
	if len(heights) != 3 {
		t.Errorf("names of points in one place cover each other: %v", heights)
	}
}
