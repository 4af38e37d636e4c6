package paper

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// The baseline of a row is Slurm's own scheduler in the row of its name. In IPSCHED's tables, where experiments have
// numbers, it is the row of its jobs and priority. That scheduler itself has none.
func TestBaseline(t *testing.T) {
	for _, test := range []struct {
		paper  string
		number int
		want   string
	}{
		{"aucsched", 5, "SLURM/BF"}, {"aucsched", 6, "SLURM/BF"}, {"aucsched", 7, "SLURM/BF"}, {"aucsched", 8, "SLURM/BF"},
		{"aucsched2", 3, "SLURM/Backfill"}, {"ipsched", 5, "Backfill "}, {"ipsched", 6, "Backfill "},
	} {
		rows, err := findPaper(t, test.paper).Rows(test.number)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			base, found := r.baseline(rows)
			ours, err := policy.Find(r.Policies[0])
			if err != nil {
				t.Fatal(err)
			}
			want, method := ours.HasAgent(), test.want
			if test.paper == "ipsched" {
				method += r.Priority
			}
			if found != want || found && (base.Method != method || test.paper != "ipsched" && base.Name != r.Name) {
				t.Errorf("%s table %d row %s %s: got %+v, %v", test.paper, test.number, r.Name, r.Method, base, found)
			}
		}
	}
}

// strongestSet is the mark of the parameters that policy backfill has today.
const strongestSet = "bf_interval=5,bf_job_part_count_reserve=1"

func strongestRun(seed uint64, hours float64) metric.Result {
	r := publishedRun("S", "V.2", "backfill", seed, hours)
	r.Run.SchedulerParameters, r.Run.PriorityType = strongestSet, priority.SizeByTime.Plugin()
	r.Run.PriorityParameters = strings.Join(priority.SizeByTime.Lines(), ",")
	return r
}

// "rows beside the published backfill use the set nearest to the papers": policy backfill of
// before and of today have one name in run.json, and are never in one mean. Of the strongest
// set there are the differences alone.
func TestStrongestBeside(t *testing.T) {
	rows, err := findPaper(t, "aucsched").Rows(5, "V.2")
	if err != nil {
		t.Fatal(err)
	}
	old := []metric.Result{publishedRun("S", "V.2", "backfill", 1, 6), publishedRun("S", "V.2", "auction", 1, 5.5)}
	text := func(runs ...metric.Result) string {
		t.Helper()
		figures, failed := Compare(rows, runs)
		if failed != nil {
			t.Fatal(failed)
		}
		tab, failed := Table(figures)
		if failed != nil {
			t.Fatal(failed)
		}
		var out strings.Builder
		if failed = tab.WriteCSV(&out); failed != nil {
			t.Fatal(failed)
		}
		return out.String()
	}
	before := text(old...)
	if strings.Contains(before, "strongest") || !strings.Contains(before, "SLURM/BF,V.2,backfill,makespan_h,6.15,,6,,1,") {
		t.Errorf("recorded runs: got\n%s", before)
	}
	after := text(append(old, strongestRun(1, 5.25))...)
	lines := strings.Split(after, "\n")
	for i, line := range strings.Split(before, "\n") {
		if i == 0 || line == "" {
			continue
		}
		if kept := line[:strings.LastIndex(line, ",")]; !strings.HasPrefix(lines[i], kept) {
			t.Errorf("got %q, want it to begin with %q", lines[i], kept)
		}
		if has := strings.Contains(lines[i], `,0.25,1,,,,,"one pair, no verdict",0`); has != strings.Contains(line, ",auction,makespan_h,") {
			t.Errorf("ours minus the strongest is 5.5 - 5.25 h in the row of the auction alone: got %q", lines[i])
		}
	}
	// The name of today and that of before are one row, under the name of today.
	renamed := publishedRun("S", "V.2", "backfill-whole-queue", 2, 7)
	if mixed := text(append(old, renamed)...); !strings.Contains(mixed, "SLURM/BF,V.2,backfill-whole-queue,makespan_h,6.15,,6.5,,2,") {
		t.Errorf("both names: got\n%s", mixed)
	}
	// A flag may give it another order of the queue.
	basic := strongestRun(1, 5.25)
	basic.Run.PriorityType, basic.Run.PriorityParameters = trace.PriorityBasic, ""
	const want = "run S-V.2-backfill-seed1: it has priority/basic, allowed in its row: priority/multifactor"
	if _, err = Compare(rows, append(old, basic)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	slower := strongestRun(1, 5.25)
	slower.Run.SlurmVersion, old[1].Run.SlurmVersion, old[0].Run.SlurmVersion = "25", "24", "24"
	const pair = `run S-V.2-auction-seed1 is no pair with run S-V.2-backfill-seed1: they differ in slurm_version ("24" and "25")`
	if _, err = Compare(rows, append(old, slower)); err == nil || err.Error() != pair {
		t.Errorf("got %v, want %q", err, pair)
	}
}
