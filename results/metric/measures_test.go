package metric

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// leaves flattens an object of metrics.json to its numbers: "waiting_s.mean".
func leaves(prefix string, object map[string]any) map[string]float64 {
	out := map[string]float64{}
	for key, value := range object {
		switch v := value.(type) {
		case float64:
			out[prefix+key] = v
		case map[string]any:
			maps.Copy(out, leaves(prefix+key+".", v))
		}
	}
	return out
}

// fullMetrics has another value in every number.
func fullMetrics(t *rapid.T) Metrics {
	value := func(name string) float64 { return rapid.Float64Range(0.5, 1e6).Draw(t, name) }
	count := func(name string) int { return rapid.IntRange(1, 1000).Draw(t, name) }
	pointer := func(name string) *float64 { v := value(name); return &v }
	ms := func(name string) MeanStd { return MeanStd{value(name), value(name + " std")} }
	switches := ms("switch spread")
	length, never := value("makespan"), count("never")
	return Metrics{
		RealSeconds: value("real"), Speed: pointer("speed"), Jobs: count("jobs"), Completed: count("completed"), Failed: count("failed"),
		TheoreticalRuntime: value("theo"), LowerBound: value("bound"), Makespan: length, Runtime: length, CPUUtilization: value("cpu"), GPUUtilization: value("gpu"),
		ESPEfficiency:    pointer("esp"),
		PerJob:           PerJob{ms("waiting"), ms("slowdown"), ms("bounded"), ms("turnaround"), ms("frag"), ms("spread"), ms("packing"), &switches},
		GPUFragmentation: &GPUFragmentation{value("gaps"), value("fgd"), value("blocks")}, UserFairness: pointer("fairness"),
		Cycle: CycleCost{pointer("cycle"), pointer("p99"), pointer("max")}, Placement: &PlacementCount{count("checked"), count("exact")},
		ElapsedError:  ElapsedError{value("error"), value("error max"), count("exact"), count("within")},
		ArrivalLagMax: value("lag"), CancelledPending: &CancelledPending{count("gave up of"), count("gave up")},
		WaitingQuantiles:  &Quantiles{value("p50"), value("p95"), value("p99"), value("longest")},
		SlowdownQuantiles: &Quantiles{value("slow p50"), value("slow p95"), value("slow p99"), value("slowest")},
		AreaSlowdown:      pointer("area"), CPUInUse: pointer("in use"), LostWork: pointer("lost"), NeverStarted: &never,
		BusySpan: &BusySpan{value("from"), value("to"), value("busy cpu"), value("busy gpu"), pointer("busy wait")},
	}
}

// The table has every number of metrics.json that is a result, under its key
// there, and nothing else.
func TestMeasuresAreMetricsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := fullMetrics(t)
		var text bytes.Buffer
		if err := Write(&text, m); err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(text.Bytes(), &object); err != nil {
			t.Fatal(err)
		}
		numbers := leaves("", object)
		for _, name := range []string{"schema_version", "seed", "time_scale", "think_scale"} {
			delete(numbers, name)
		}
		take := func(key string, got float64) {
			if want, there := numbers[key]; !there || got != want {
				t.Errorf("%s: got %v, metrics.json has %v (%v)", key, got, want, there)
			}
			delete(numbers, key)
		}
		for _, measure := range Measures() {
			v, _ := measure.Value(m)
			switch {
			case measure.Std != nil:
				take(measure.Key+".mean", v)
				take(measure.Key+".std", measure.Std(m))
			default:
				take(measure.Key, v)
			}
			if measure.Of != nil {
				take(strings.NewReplacer("placement_", "placement.", "pending_", "pending.").Replace(measure.OfColumn), measure.Of(m))
			}
		}
		// The papers' name of the makespan.
		take("runtime_s", m.Makespan)
		if len(numbers) > 0 {
			t.Errorf("no measure for %v", slices.Sorted(maps.Keys(numbers)))
		}
	})
}

// Names are unique, and every measure has a definition and a source.
func TestMeasuresAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Measures() {
		names := []string{"key " + m.Key, "column " + m.Column, "name " + m.Name}
		if m.Std != nil {
			names = append(names, "column "+m.StdColumn())
		}
		for _, name := range names {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if m.Definition == "" || m.Source == "" || m.Name == "" || m.Value == nil {
			t.Errorf("%s: got %+v", m.Key, m)
		}
		if n := utf8.RuneCountInString(m.Brief); n == 0 || n > 34 {
			t.Errorf("%s: %d characters in %q, want 1 to 34", m.Key, n, m.Brief)
		}
		if got := FindMeasure(m.Key); got.Name != m.Name {
			t.Errorf("%s: found %s", m.Key, got.Name)
		}
	}
}

// Ranks are 1, 2, ... of known measures, without gaps: what a narrow screen shows first
// is whether the machine was used well.
func TestRanks(t *testing.T) {
	byRank := map[int]string{}
	for _, m := range Measures() {
		if rank, shown := m.Rank(); shown {
			byRank[rank] = m.Key
		}
	}
	if len(byRank) != len(important()) {
		t.Errorf("%d measures have a rank, want %d: %v", len(byRank), len(important()), byRank)
	}
	for i, want := range []string{"makespan_s", "cpu_utilization", "waiting_s"} {
		if byRank[i+1] != want {
			t.Errorf("rank %d: got %s, want %s", i+1, byRank[i+1], want)
		}
	}
	if rank, shown := FindMeasure("cycle_s.p99").Rank(); shown {
		t.Errorf("a detail has rank %d", rank)
	}
}

// The papers' tables are in hours and per cent (AUCSCHED table 5).
func TestUnits(t *testing.T) {
	for _, test := range []struct {
		unit          Unit
		v, want       float64
		symbol, shown string
	}{{Hours, 5400, 1.5, "s", "h"}, {Percent, 0.25, 25, "1", "%"}, {Ratio, 3, 3, "1", ""}, {Seconds, 3, 3, "s", "s"}, {RealSeconds, 3, 3, "real s", "s"}, {Blocks, 3, 3, "blocks", ""}, {Jobs, 3, 3, "jobs", ""}} {
		if got := test.unit.InTable(test.v); math.Abs(got-test.want) > 1e-12 || test.unit.Symbol() != test.symbol || test.unit.Heading() != test.shown || test.unit.Decimals() < 0 {
			t.Errorf("%d: got %v %q %q", test.unit, got, test.unit.Symbol(), test.unit.Heading())
		}
	}
}
