package docs

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// pair has what a cell says of two runs of the same jobs: each figure of the auction as a part of that of backfill.
type pair struct {
	backfill, auction, gap, waiting, slowdown, fragmentation, spread float64
}

// pairs are the runs of record 006-value-objective, by machine and workload.
func pairs(t *testing.T) (cells []string, found map[string][]pair) {
	t.Helper()
	columns, rows := readCSV(t, "records/006-value-objective/runs.csv")
	value := func(row []string, column string) float64 {
		v, err := strconv.ParseFloat(row[columns[column]], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	run := func(row []string) string {
		return row[columns["machine"]] + " " + row[columns["workload"]] + " " + row[columns["seed"]]
	}
	backfill := map[string][]string{}
	for _, row := range rows {
		if row[columns["policy"]] == "backfill" {
			backfill[run(row)] = row
		}
	}
	found = map[string][]pair{}
	for _, row := range rows {
		if row[columns["policy"]] != "auction" {
			continue
		}
		other := backfill[run(row)]
		part := func(column string) float64 { return value(row, column) / value(other, column) }
		p := pair{
			backfill: value(other, "cpu_utilization_percent"), auction: value(row, "cpu_utilization_percent"),
			waiting: part("waiting_mean_h"), slowdown: part("slowdown_mean"), fragmentation: part("fragmentation_mean"), spread: part("spread_mean"),
		}
		bound := 100 * value(row, "theoretical_runtime_h") / value(row, "lower_bound_h")
		p.gap = 100 * (p.auction - p.backfill) / (bound - p.backfill)
		cell, _, _ := strings.Cut(run(row), " "+row[columns["seed"]])
		names := []string{cell}
		if strings.HasPrefix(row[columns["workload"]], "V.") {
			names = append(names, row[columns["machine"]]+" V all")
		}
		for _, name := range names {
			if found[name] == nil {
				cells = append(cells, name)
			}
			found[name] = append(found[name], p)
		}
	}
	return cells, found
}

// cell is a mean with half the width of its 95 % interval by Student, of three values or more.
func cell(digits int, values []float64) string {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	if n < 3 {
		return fmt.Sprintf("%.*f,", digits, mean)
	}
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	return fmt.Sprintf("%.*f,%.*f", digits, mean, digits, half)
}

// compareRecorded compares a file of a record with what its data make: UPDATE_RECORDS=1 writes it.
func compareRecorded(t *testing.T, file, want string) {
	t.Helper()
	if os.Getenv("UPDATE_RECORDS") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s has\n%s, its data make\n%s", file, got, want)
	}
}

// The cells of record 006-value-objective are means of its runs.
func TestCellsOfPairs(t *testing.T) {
	const file = "records/006-value-objective/cells.csv"
	cells, found := pairs(t)
	want := "cell,pairs,utilisation backfill %,utilisation auction %,gap %,gap ±,waiting,waiting ±,slowdown,slowdown ±,fragmentation,fragmentation ±,spread,spread ±\n"
	for _, name := range cells {
		of := func(figure func(pair) float64) (values []float64) {
			for _, p := range found[name] {
				values = append(values, figure(p))
			}
			return values
		}
		want += fmt.Sprintf("%s,%d,%.1f,%.1f,%s,%s,%s,%s,%s\n", name, len(found[name]),
			stat.Mean(of(func(p pair) float64 { return p.backfill }), nil), stat.Mean(of(func(p pair) float64 { return p.auction }), nil),
			cell(1, of(func(p pair) float64 { return p.gap })), cell(2, of(func(p pair) float64 { return p.waiting })),
			cell(2, of(func(p pair) float64 { return p.slowdown })), cell(2, of(func(p pair) float64 { return p.fragmentation })),
			cell(2, of(func(p pair) float64 { return p.spread })))
	}
	compareRecorded(t, file, want)
	higher, shorter, all := 0, 0, 0
	for name, of := range found {
		if strings.HasSuffix(name, " all") {
			continue
		}
		for _, p := range of {
			all++
			if p.auction > p.backfill {
				higher++
			}
			if p.waiting < 1 {
				shorter++
			}
		}
	}
	if all != 41 || higher != 40 || shorter != 41 {
		t.Errorf("of %d pairs %d have a higher utilisation and %d a shorter wait; the page has 41, 40 and 41", all, higher, shorter)
	}
}
