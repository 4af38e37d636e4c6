package main

import (
	"slices"
	"testing"
)

// The record has what this program measures: its lines of three pairs are made again.
func TestRecordedMargins(t *testing.T) {
	kept := readRecord(t, "margins.csv")
	if want := 1 + len(marginSizes())*len(baseWaits())*len(nulls())*2; len(kept) != want {
		t.Fatalf("%d lines, want %d", len(kept), want)
	}
	for _, line := range append(marginLines(3), marginHeader()) {
		if !slices.ContainsFunc(kept, func(row []string) bool { return slices.Equal(row, line) }) {
			t.Errorf("no line %q: go run ./tools/queues nulls writes the record again", line)
		}
	}
}

// The choice of docs/design/043-verdicts.md: a policy that is worse by the margin is called not worse by Fieller's interval
// in at most 3.2 % of samples (2.5 %, the level of one side in ICH E9, and two standard errors of 2000 draws). That holds
// for each null of like policies. Both rejected intervals err more often in some of them.
func TestMarginKeepsItsLevel(t *testing.T) {
	const allowed = 3.2
	rows := readRecord(t, "margins.csv")
	column := func(name string) int { return slices.Index(rows[0], name) }
	rejected := map[string]float64{}
	for _, row := range rows[1:] {
		if row[column("null")] == nulls()[len(nulls())-1].name {
			continue
		}
		if rate := atof(t, row[column("fieller")]); rate > allowed {
			t.Errorf("%q: %g %%", row, rate)
		}
		for _, name := range []string{"linearised", "mean taken for exact"} {
			rejected[name] = max(rejected[name], atof(t, row[column(name)]))
		}
	}
	for name, worst := range rejected {
		if worst <= allowed {
			t.Errorf("%s errs in at most %g %%: it need not be rejected", name, worst)
		}
	}
}
