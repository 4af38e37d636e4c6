package workloads

import (
	"slices"
	"strings"
	"testing"
)

// The origin of an imported workload stands before the header, is kept in
// run.json and does not change the lines of faults.
func TestCSVOrigin(t *testing.T) {
	const origin = "# source: a.swf\n#rescaled: sizes times 0.5\r\n"
	row := string(Job{ID: 3, Runtime: 60, Limit: 120, Nodes: 2, Cores: 2, Contiguous: true, Class: "type2"}.AppendCSV(nil, Columns{}))
	file := write(t, "imported.csv", origin+CSVHeader(Columns{})+"\n"+row)
	w, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.Origin(), "|"); got != "source: a.swf|rescaled: sizes times 0.5" {
		t.Errorf("origin %q", got)
	}
	spec, err := w.SpecJSON()
	if err != nil || !strings.Contains(string(spec), `"origin":["source: a.swf","rescaled: sizes times 0.5"]`) {
		t.Errorf("spec %s, %v", spec, err)
	}
	_, err = ReadCSV(strings.NewReader(origin+CSVHeader(Columns{})+"\n# late\n"), "w.csv")
	wantError(t, err, "w.csv:4: row: got 1 columns, allowed 11")
	_, err = ReadCSV(strings.NewReader(origin), "w.csv")
	wantError(t, err, `w.csv: jobs: got 0, allowed 1..100000`)
}

// A job without a time limit gets factor 1.5 and two minutes, in whole minutes.
func TestDefaultLimit(t *testing.T) {
	for runtime, want := range map[int]int{1: 180, 60: 240, 100: 300} {
		if got := DefaultLimit(runtime); got != want {
			t.Errorf("run time %d: limit %d, want %d", runtime, got, want)
		}
	}
}

// Numbers and flags name nothing of a site, nor do texts that every Slurm reads alike.
func TestColumnsThatNameSomething(t *testing.T) {
	names, meanings := AboutColumns()
	named := slices.DeleteFunc(names, func(name string) bool { return slices.Contains(PublicColumns(), name) })
	if want := []string{"user", "partition", "account", "qos", "licenses", "reservation"}; !slices.Equal(named, want) {
		t.Errorf("%v, want %v", named, want)
	}
	for name, meaning := range meanings {
		if meaning == "" {
			t.Errorf("%s has no meaning", name)
		}
	}
}
