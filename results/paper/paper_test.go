package paper

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

func findPaper(t *testing.T, name string) Paper {
	t.Helper()
	all := Papers()
	i := slices.IndexFunc(all, func(p Paper) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no paper %s", name)
	}
	return all[i]
}

// AUCSCHED tables 5 to 7 have 15 workloads under two methods each, table 8 has 14. AUCSCHED2 table 3 has six under
// three, IPSCHED tables V and VI have six and two experiments. Every table of a file is one of its paper.
func TestTables(t *testing.T) {
	for _, test := range []struct {
		paper       string
		number      int
		machine     string
		rows, names int
		measures    []string
	}{
		{"ipsched", 5, "L", 6, 6, []string{"cpu_utilization_percent", "slowdown_mean", "slowdown_std", "theoretical_runtime_h", "waiting_mean_h", "waiting_std_h"}},
		{"ipsched", 6, "L", 2, 2, []string{"cpu_utilization_percent", "packing_mean", "packing_std", "slowdown_mean", "slowdown_std", "waiting_mean_h", "waiting_std_h"}},
		{"aucsched", 5, "S", 30, 15, aucschedMeasures()},
		{"aucsched", 6, "M", 30, 15, aucschedMeasures()},
		{"aucsched", 7, "L", 30, 15, aucschedMeasures()},
		{"aucsched", 8, "L", 28, 14, aucschedMeasures()},
		{"aucsched2", 3, "tsubame", 18, 6, []string{
			"cpu_utilization_percent", "fragmentation_mean", "fragmentation_std", "gpu_utilization_percent", "makespan_h", "theoretical_runtime_h",
			"waiting_mean_h", "waiting_std_h",
		}},
	} {
		p := findPaper(t, test.paper)
		rows, err := p.Rows(test.number)
		if err != nil || len(rows) != test.rows {
			t.Errorf("%s table %d: %d rows, %v", test.paper, test.number, len(rows), err)
			continue
		}
		names := map[string]bool{}
		for _, r := range rows {
			names[r.Name] = true
			measures := slices.Sorted(maps.Keys(r.Values))
			if unreadable := test.number == 6 && r.Name == "V.1"; unreadable {
				measures = slices.Sorted(slices.Values(append(measures, "theoretical_runtime_h")))
			}
			if r.Machine != test.machine || r.Method == "" || !slices.Equal(measures, test.measures) {
				t.Errorf("%s table %d: got %+v", test.paper, test.number, r)
			}
		}
		if len(names) != test.names {
			t.Errorf("%s table %d: %d names", test.paper, test.number, len(names))
		}
		if len(p.Notes(test.number)) == 0 {
			t.Errorf("%s table %d: no notes", test.paper, test.number)
		}
	}
	for _, p := range Papers() {
		all, err := readPublished(p.figures)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if !slices.Contains(p.Tables, r.Table) {
				t.Errorf("%s: table %d is not named", p.Name, r.Table)
			}
		}
	}
}

func aucschedMeasures() []string {
	return []string{
		"cpu_utilization_percent", "fragmentation_mean", "fragmentation_std", "makespan_h", "slowdown_mean", "spread_mean", "spread_std",
		"theoretical_runtime_h", "waiting_mean_h", "waiting_std_h",
	}
}

// The papers print 408 deviations over jobs: three a row in AUCSCHED's tables, two in the
// others' and three in IPSCHED's table VI.
func TestDeviations(t *testing.T) {
	count := 0
	for _, p := range Papers() {
		rows, err := readPublished(p.figures)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			for _, f := range r.figures("", Row{}) {
				if !math.IsNaN(f.PaperStd) {
					count++
				}
			}
		}
	}
	if count != 408 {
		t.Errorf("got %d deviations, want 408", count)
	}
	rows, err := findPaper(t, "aucsched").Rows(5, "V.2")
	if err != nil {
		t.Fatal(err)
	}
	// "V.2 50% 4.10 AUCSCHED 68% 6.15 1.82 ± 1.44": table 5.
	for _, f := range rows[0].figures("", Row{}) {
		if f.Measure.Column == "waiting_mean_h" && (f.Paper != 1.82 || f.PaperStd != 1.44) {
			t.Errorf("got %v ± %v", f.Paper, f.PaperStd)
		}
	}
}

// The machine, workload, policies and measures of ours that a row names exist. The
// first policy is one to run, not a pattern. All policies have the row's priority.
func TestOurNamesExist(t *testing.T) {
	columns := map[string]bool{}
	for _, m := range metric.Measures() {
		columns[m.Column] = true
		if m.Std != nil {
			columns[m.StdColumn()] = true
		}
	}
	builtins := map[string]bool{}
	for _, b := range workloads.Builtins() {
		builtins[b.Name] = true
	}
	policies, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Papers() {
		rows, err := readPublished(p.figures)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if !slices.Contains(workloads.MachineNames(), r.Machine) || !builtins[r.Workload] {
				t.Errorf("%s: got %+v", p.Name, r)
			}
			for column := range r.Values {
				if !columns[column] {
					t.Errorf("%s: %s is no measure", p.Name, column)
				}
			}
			if len(r.Policies) == 0 || strings.Contains(r.Policies[0], "*") {
				t.Errorf("%s: no first policy to run: %+v", p.Name, r)
			}
			for _, pattern := range r.Policies {
				ours := slices.DeleteFunc(slices.Clone(policies), func(d policy.Policy) bool { return !matchesPattern(pattern, d.Name) })
				if len(ours) == 0 {
					t.Errorf("%s: no policy is %s", p.Name, pattern)
				}
				for _, d := range ours {
					if d.HasAgent() != r.agent {
						t.Errorf("%s: row %s: an agent schedules: %v, under policy %s: %v", p.Name, r.Name, r.agent, d.Name, d.HasAgent())
					}
					if string(d.Priority) != r.Priority {
						t.Errorf("%s: row %s has priority %q, policy %s %q", p.Name, r.Name, r.Priority, d.Name, d.Priority)
					}
				}
			}
		}
	}
}

// TABLE IV of IPSCHED, "TESTS AND THEIR CHARACTERISTICS", and section VI:
// "Experiment 7 and 8 are modified versions of experiment 4 and 6 respectively",
// with job sizes "+ RAND(-4,4)".
func TestIPSCHEDExperiments(t *testing.T) {
	p := findPaper(t, "ipsched")
	var got []string
	for _, table := range p.Tables {
		rows, err := p.Rows(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			d, err := policy.Find(r.Policies[0])
			if err != nil {
				t.Fatal(err)
			}
			plugin, objective := "Backfill", "-"
			if d.HasAgent() {
				plugin, objective = string(d.Parameters.Method), string(d.Parameters.Objective)
			}
			got = append(got, strings.Join([]string{r.Name, plugin, r.Priority, objective, r.Machine, r.Workload}, " "))
		}
	}
	want := []string{
		"1-SLURM Backfill basic - L ESP-2.gpu",
		"2 ipsched basic priority-cores L ESP-2.gpu",
		"3 ipsched basic priority L ESP-2.gpu",
		"4-SLURM Backfill multifactor - L ESP-2.gpu",
		"5 ipsched multifactor priority L ESP-2.gpu",
		"6 ipsched multifactor priority-cores L ESP-2.gpu",
		"7-SLURM Backfill multifactor - L ESP-2.gpu.rand",
		"8 ipsched multifactor priority-cores L ESP-2.gpu.rand",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The policies of Table 8 have the settings that section 6.2 gives its rows. "largest keyword stands for a test with
// MAXBIDSPERJOB parameter set as 15, longsolve stands for using CPLEX solution time of 10 seconds, shortsolve stands
// for a CPLEX solution time of 3 seconds". "contigonly" is bids of type A and B alone. Otherwise there are 5 bids and
// 5 seconds, and no row has SLURM bids.
func TestTable8Policies(t *testing.T) {
	rows, err := findPaper(t, "aucsched").Rows(8)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Method != "AUCSCHED" {
			continue
		}
		d, err := policy.Find(r.Policies[0])
		if err != nil {
			t.Fatal(err)
		}
		bids, seconds := 5, 5.0
		if strings.Contains(r.Name, "largest") {
			bids = 15
		}
		if strings.Contains(r.Name, "longsolve") {
			seconds = 10
		}
		if strings.Contains(r.Name, "shortsolve") {
			seconds = 3
		}
		p := d.Parameters
		if p.MaxBidsPerJob != bids || p.SolveLimit.Seconds() != seconds || p.SlurmBids || p.OnlyBlocks != strings.Contains(r.Name, "contigonly") {
			t.Errorf("row %s: %s has %+v", r.Name, d.Name, p)
		}
	}
}

func TestRowsBadInput(t *testing.T) {
	for _, test := range []struct {
		paper string
		table int
		names []string
		want  string
	}{
		{"aucsched", 4, nil, "table: 4 is not known, allowed: 5, 6, 7, 8"},
		{"aucsched2", 5, nil, "table: 5 is not known, allowed: 3"},
		{"ipsched", 0, nil, "table: 0 is not known, allowed: 5, 6"},
		{"aucsched", 5, []string{"VI.1", "V.1", "x"}, `rows: "VI.1", "x" not in table 5; did you mean "I.1"? all are listed by: slurmlab paper aucsched --table 5`},
		// The names are the paper's, not ours.
		{"aucsched2", 3, []string{"1.NC.table3"}, `rows: "1.NC.table3" not in table 3, allowed are 1.NC, 1.HC, 1.FC, 2.NC, 2.HC, 2.FC`},
		{"ipsched", 6, []string{"7"}, `rows: "7" not in table 6, allowed are 7-SLURM, 8; did you mean "7-SLURM"?`},
	} {
		if _, err := findPaper(t, test.paper).Rows(test.table, test.names...); err == nil || err.Error() != test.want {
			t.Errorf("got error %v, want %q", err, test.want)
		}
	}
}

func TestReadBadFigures(t *testing.T) {
	const head = "table,machine,row,method,workload,priority,policies,makespan_h\n"
	for _, test := range []struct{ text, want string }{
		{head + "x,L,V.1,M,V.1,basic,p,1\n", `read published figures: strconv.Atoi: parsing "x": invalid syntax`},
		{head + "5,L,V.1,M,V.1,basic,p,y\n", `read published figures: row V.1 M: strconv.ParseFloat: parsing "y": invalid syntax`},
		{head + "5,L,V.1\n", "read published figures: record on line 2: wrong number of fields"},
	} {
		if _, err := readPublished(test.text); err == nil || err.Error() != test.want {
			t.Errorf("got error %v, want %q", err, test.want)
		}
	}
}

// The note on AUCSCHED2's workloads has the theoretical runtimes of their specs.
func TestTable3RuntimesAreOurs(t *testing.T) {
	note := findPaper(t, "aucsched2").Notes(3)[1]
	for _, b := range workloads.Builtins() {
		if !strings.HasSuffix(b.Name, ".table3") {
			continue
		}
		source, err := b.Source()
		if err != nil {
			t.Fatal(err)
		}
		want, seconds := "3.12 h (1.NC, 1.HC, 1.FC)", "11232s"
		if strings.HasPrefix(b.Name, "2") {
			want, seconds = "6.21 h (2.NC, 2.HC, 2.FC)", "22356s"
		}
		if !strings.Contains(note, want) || !strings.Contains(source, "theoretical_runtime: "+seconds) {
			t.Errorf("%s: want %s and %s in %q", b.Name, want, seconds, note)
		}
	}
}
