package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
)

// The panel of a job has what each cycle of a recorded auction decided on it: the decisions of cycles.jsonl. Beside
// them are the bids that "explain" remakes from what the cycles saw.
func TestJobPanelOfAnAuction(t *testing.T) {
	folder := t.TempDir()
	auctioned(t, folder, "auction")
	address := command(t, folder)
	var list struct{ Folders []struct{ Runs []listedRun } }
	fetch(t, address, "api/list", &list)
	at := "api/run/" + list.Folders[0].Runs[0].Key
	var d document
	fetch(t, address, at, &d)
	if len(d.Jobs) != 41 {
		t.Fatalf("%d jobs", len(d.Jobs))
	}
	lost := 0
	for _, j := range d.Jobs {
		won := 0
		for _, turn := range j.Turns {
			if strings.HasPrefix(turn.What, "won with a bid of class ") {
				won += turn.Cycles
				if *j.Start != turn.From {
					t.Errorf("job %d starts at %g s and won at %g s", j.ID, *j.Start, turn.From)
				}
			}
		}
		// To explain one takes all cycles.
		if j.ID%5 != 1 {
			continue
		}
		var told serve.Explanation
		fetch(t, address, fmt.Sprintf("%s/explain/%d", at, j.ID), &told)
		cycles := map[string]int{}
		for _, o := range told.Outcomes {
			cycles[o.Name] = o.Cycles
		}
		if won != 1 || cycles["won and released in"] != won || cycles["bid in"] < cycles["lost in"]+won {
			t.Errorf("job %d won %d times by its cycles, and by its explanation: %v", j.ID, won, cycles)
		}
		if cycles["lost in"] > 0 {
			lost++
		}
		if !strings.HasPrefix(told.Text, fmt.Sprintf("Job %d of ", j.ID)) {
			t.Errorf("explained as %.60q", told.Text)
		}
	}
	if lost == 0 {
		t.Error("no job lost in any cycle: this auction shows nothing")
	}
}

// What Slurm refused and what was left for later has its reasons, and is counted where one follows the other.
func TestRefusalsInStory(t *testing.T) {
	folder := t.TempDir()
	path := copyRun(t, folder, "one", nil)
	file := filepath.Join(path, "cycles.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i, add := range []string{
		`"deferred":[{"job":464,"reason":"no order gives it its cores"}],`, `"deferred":[{"job":464,"reason":"no order gives it its cores"}],`,
		`"refused":[{"job":464,"reason":"Requested nodes are busy"}],`,
	} {
		lines[i] = "{" + add + strings.TrimPrefix(lines[i], "{")
	}
	if err = os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	var d document
	s.data("api/run/"+s.runs()["one"].Key, &d)
	last := d.Jobs[slices.IndexFunc(d.Jobs, func(j jobOnPage) bool { return j.ID == 464 })]
	var told []string
	for _, turn := range last.Turns {
		told = append(told, fmt.Sprintf("%d: %s: %s", turn.Cycles, turn.What, turn.Why))
	}
	want := []string{"2: won, left for a later cycle: no order gives it its cores", "1: won, refused by Slurm: Requested nodes are busy"}
	if len(told) != 3 || !slices.Equal(told[:2], want) || !strings.HasPrefix(told[2], "1: won with a bid") {
		t.Errorf("got %q, want first %q", told, want)
	}
}
