package docs

import (
	"fmt"
	"strconv"
	"testing"
)

// number is a cell of a table.
func number(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The table of record 015-cluster-kinds has the starts of all jobs of an experiment, and the mean wait of the other kind
// beside the first one's.
func TestSameAnswers(t *testing.T) {
	const record = "records/015-cluster-kinds/"
	metrics, rows := readCSV(t, record+"comparison.csv")
	waits := map[string]string{}
	for _, row := range rows {
		if row[metrics["metric"]] != "waiting_mean_h" {
			continue
		}
		one := number(t, row[metrics["one"]])
		text := ""
		for _, column := range []string{"difference", "interval_low", "interval_high"} {
			text += ","
			// Repetitions of the same jobs have no interval.
			if cell := row[metrics[column]]; cell != "" {
				text += fmt.Sprintf("%.1f", 100*number(t, cell)/one)
			}
		}
		waits[row[metrics["experiment"]]] = text
	}
	starts, rows := readCSV(t, record+"starts.csv")
	want := "experiment,jobs,start in the same second %,median s apart,95th percentile s apart,largest s apart,wait difference %,low %,high %\n"
	for _, row := range rows {
		if row[starts["replica"]] != "all" {
			continue
		}
		experiment := row[starts["experiment"]]
		want += fmt.Sprintf("%s,%s,%.1f,%s,%s,%s%s\n", experiment, row[starts["jobs"]], number(t, row[starts["equal_percent"]]),
			row[starts["median_s"]], row[starts["p95_s"]], row[starts["max_s"]], waits[experiment])
	}
	compareRecorded(t, record+"same-answers.csv", want)
}
