package paper

import (
	"testing"

	"github.com/slurmlab/slurmlab/policy"
)

// Each row is held against Slurm's own scheduler: that of its name or, in IPSCHED's
// tables, where experiments have numbers, that of its jobs and priority. That
// scheduler itself has none.
func TestBaseline(t *testing.T) {
	for _, test := range []struct {
		paper  string
		number int
		want   string
	}{
		{"aucsched", 5, "SLURM/BF"}, {"aucsched", 6, "SLURM/BF"}, {"aucsched", 7, "SLURM/BF"}, {"aucsched", 8, "SLURM/BF"},
		{"aucsched2", 3, "SLURM/Backfill"}, {"ipsched", 5, "Backfill "}, {"ipsched", 6, "Backfill "},
	} {
		rows, err := find(t, test.paper).Rows(test.number)
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
