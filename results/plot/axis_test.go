package plot

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	gonum "gonum.org/v1/plot"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

func labels(ticks gonum.ConstantTicks) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return strings.Join(out, " ")
}

func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		span float64
		unit string
		want string
	}{
		{1, "s", "0 1"},
		{95, "s", "0 10 20 30 40 50 60 70 80 90"},
		{600, "s", "0 100 200 300 400 500 600"},
		{601, "min", "0 2 4 6 8 10"},
		{9000, "min", "0 15 30 45 60 75 90 105 120 135 150"},
		{11000, "h", "0 0.5 1 1.5 2 2.5 3"},
		{4 * 86400, "h", "0 12 24 36 48 60 72 84 96"},
		{40 * 86400, "d", "0 5 10 15 20 25 30 35 40"},
		{4000 * 86400, "d", "0 500 1000 1500 2000 2500 3000 3500 4000"},
	} {
		unit := unitFor(c.span)
		if got := labels(unit.ticks(c.span, 10)); unit.name != c.unit || got != c.want {
			t.Errorf("%g s: %q in %s, want %q in %s", c.span, got, unit.name, c.want, c.unit)
		}
	}
}

func TestNodeTicks(t *testing.T) {
	for nodes, want := range map[int]string{
		1: "0 1", 5: "0 1 2 3 4 5", 12: "0 2 4 6 8 10 12", 128: "0 16 32 48 64 80 96 112 128",
		1024: "0 128 256 384 512 640 768 896 1024", 1408: "0 256 512 768 1024 1280",
	} {
		if got := labels(nodeTicks(nodes)); got != want {
			t.Errorf("%d nodes: %q, want %q", nodes, got, want)
		}
	}
}

// Where a machine file has the site's names of nodes, the axis has the first name of each group, unless the last label is near.
func TestNodeAxisOfASite(t *testing.T) {
	group := func(hosts string, count int) layout.Group { return layout.Group{Count: count, Hosts: hosts} }
	for _, c := range []struct {
		groups     []layout.Group
		name, want string
	}{
		{[]layout.Group{group("cn[01-20]", 20), group("ga[01-08]", 8), group("gl[01-06]", 6)}, "node", "cn01 ga01 gl01"},
		{[]layout.Group{group("cn[01-30]", 30), group("big1", 1), group("gl[01-03]", 3)}, "node", "cn01 big1"},
		{[]layout.Group{group("cn[01-04]", 4), group("", 4)}, "node", "cn01 n5"},
		{[]layout.Group{group("", 4), group("", 4)}, "node index", "0 1 2 3 4 5 6 7 8"},
	} {
		m := workloads.Machine{Layout: layout.Layout{Groups: c.groups}}
		m.Nodes = m.Layout.Nodes()
		ticks, name := nodeAxis(m)
		if got := labels(ticks); name != c.name || got != c.want {
			t.Errorf("got axis %s with %q, want %s with %q", name, got, c.name, c.want)
		}
	}
}

// An axis has a few ticks inside its range, whatever the range.
func TestTicksAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Float64Range(1, 1e9).Draw(t, "span")
		ticks := unitFor(span).ticks(span, 10)
		if len(ticks) < 2 || len(ticks) > 11 || ticks[len(ticks)-1].Value > span*1.001 {
			t.Fatalf("%g s: %v", span, ticks)
		}
	})
}
