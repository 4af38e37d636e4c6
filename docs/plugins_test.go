package docs

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// The differences of record 022-plugins follow from its runs, in pairs of the same jobs.
func TestDifferencesOfPlugins(t *testing.T) {
	const record = "records/022-plugins/"
	columns, rows := readCSV(t, record+"runs.csv")
	values := map[string]map[string]float64{}
	metrics := []struct {
		name, column string
		factor       float64
	}{
		{"waiting min", "waiting_mean_h", 60},
		{"run time min", "makespan_h", 60},
		{"CPU utilisation %", "cpu_utilization_percent", 1},
		{"slowdown", "slowdown_mean", 1},
		{"fragmentation", "fragmentation_mean", 1},
		{"packing factor", "packing_mean", 1},
	}
	for _, row := range rows {
		for _, m := range metrics {
			key := m.column + " " + row[columns["policy"]]
			if values[key] == nil {
				values[key] = map[string]float64{}
			}
			values[key][row[columns["seed"]]] = m.factor * number(t, row[columns[m.column]])
		}
	}
	want := "metric,policy,backfill,mean,difference,difference ±\n"
	for _, m := range metrics {
		for _, policy := range []string{"exec-easy.py", "easy-of-slurm"} {
			sum, base, differences := 0.0, 0.0, []float64{}
			backfill := values[m.column+" backfill"]
			for _, seed := range slices.Sorted(maps.Keys(backfill)) {
				one, other := backfill[seed], values[m.column+" "+policy][seed]
				sum, base, differences = sum+other, base+one, append(differences, other-one)
			}
			n := float64(len(differences))
			want += fmt.Sprintf("%s,%s,%.1f,%.1f,%s\n", m.name, policy, base/n, sum/n, cell(1, differences))
		}
	}
	compareRecorded(t, record+"differences.csv", want)
}
