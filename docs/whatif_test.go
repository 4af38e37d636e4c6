package docs

import "testing"

// The generator of cygnus's jobs (examples/whatif/generate.py) says what the answers must be. Each is found with the right sign, and
// its interval over the days excludes 0.
func TestWhatIfFindsTheEffects(t *testing.T) {
	const record = "records/044-whatif/"
	for _, c := range []struct {
		file, group, scenario string
		longer                bool
	}{
		{"by-qos.csv", "sweep", "qos-limit", true},
		{"by-partition.csv", "a100", "more-gpus", false},
		{"by-partition.csv", "a100", "half-drained", true},
		{"by-partition.csv", "a100", "preempt", false},
		{"by-partition.csv", "scavenger", "max-time", true},
	} {
		columns, rows := readCSV(t, record+c.file)
		found := 0
		for _, row := range rows {
			if row[0] != c.group || row[columns["scenario"]] != c.scenario {
				continue
			}
			found++
			low, high := number(t, row[columns["interval_low"]]), number(t, row[columns["interval_high"]])
			if row[columns["days"]] != "3" || c.longer && low <= 0 || !c.longer && high >= 0 {
				t.Errorf("%s under %s: %s days, change in [%g, %g] h", c.group, c.scenario, row[columns["days"]], low, high)
			}
		}
		if found != 1 {
			t.Errorf("%s has %d rows of %s under %s", record+c.file, found, c.group, c.scenario)
		}
	}
	// What happened to jobs is counted: splits of one scenario, and jobs that preemption ended in another.
	columns, rows := readCSV(t, record+"by-partition.csv")
	for _, row := range rows {
		if row[0] != "all jobs" {
			continue
		}
		split, lost := number(t, row[columns["split"]]), number(t, row[columns["lost"]])
		if scenario := row[columns["scenario"]]; split > 0 != (scenario == "max-time") || lost > 0 != (scenario == "preempt") {
			t.Errorf("under %s %g jobs are split and %g did not end as planned", scenario, split, lost)
		}
	}
}
