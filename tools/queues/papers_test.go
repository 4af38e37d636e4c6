package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// The table of distances follows from the recorded columns: the mean over a row's columns, and over the rows of a paper.
// UPDATE_RECORDS=1 writes it. The reading that is nearest to a paper, or not told apart from the nearest, is the one of its
// policies.
func TestRecordedReadings(t *testing.T) {
	const folder = "../../docs/records/012-papers-policies/"
	text, err := os.ReadFile(folder + "priorities.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	var rows [][2]string
	distances, unproven := map[[3]string][]float64{}, map[[2]string]map[string]string{}
	for _, line := range lines[1:] {
		row, reading := [2]string{line[at["paper"]], line[at["row"]]}, line[at["reading"]]
		if !slices.Contains(rows, row) {
			rows, unproven[row] = append(rows, row), map[string]string{}
		}
		v, err := strconv.ParseFloat(line[at["distance"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		distances[[3]string{row[0], row[1], reading}] = append(distances[[3]string{row[0], row[1], reading}], v)
		unproven[row][reading] = line[at["unproven"]] + " of " + line[at["decisions"]]
	}
	mean := func(of []float64) float64 { return stat.Mean(of, nil) }
	var out strings.Builder
	out.WriteString("paper,row,literal,ranks,size,literal not proven,ranks not proven,size not proven\n")
	papers := map[string]map[string][]float64{}
	line := func(paper, row string, cells []string) {
		fmt.Fprintf(&out, "%s,%s,%s\n", paper, row, strings.Join(cells, ","))
	}
	readings := []string{"literal", "ranks", "size"}
	for _, row := range rows {
		var cells []string
		if papers[row[0]] == nil {
			papers[row[0]] = map[string][]float64{}
		}
		for _, reading := range readings {
			v := mean(distances[[3]string{row[0], row[1], reading}])
			papers[row[0]][reading] = append(papers[row[0]][reading], v)
			cells = append(cells, fmt.Sprintf("%.3f", v))
		}
		for _, reading := range readings {
			cells = append(cells, unproven[row][reading])
		}
		line(row[0], row[1], cells)
	}
	for _, paper := range slices.Sorted(maps.Keys(papers)) {
		var cells []string
		nearest := math.Inf(1)
		for _, reading := range readings {
			v := mean(papers[paper][reading])
			cells, nearest = append(cells, fmt.Sprintf("%.3f", v)), min(nearest, v)
		}
		// apart is far below what rows of one paper differ by.
		const apart = 0.005
		p, err := policy.Find(map[string]string{"ipsched": "ipsched", "aucsched": "auction1", "aucsched2": "auction2"}[paper])
		if err != nil {
			t.Fatal(err)
		}
		if v := mean(papers[paper][string(p.Parameters.Reading)]); v > nearest+apart {
			t.Errorf("%s reads priorities as %s at a distance of %.3f, and the nearest reading is at %.3f", p.Name, p.Parameters.Reading, v, nearest)
		}
		line(paper, fmt.Sprintf("mean of %d", len(papers[paper]["ranks"])), append(cells, "", "", ""))
	}
	compareRecorded(t, folder+"readings.csv", out.String())
}
