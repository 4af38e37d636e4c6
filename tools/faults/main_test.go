package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
	"github.com/slurmlab/slurmlab/workloads"
)

// The campaign is "resumable in pieces" (issue 16): what was played is not played again,
// unless it is asked for by name.
func TestChosenGoesOn(t *testing.T) {
	c := campaign{out: t.TempDir(), seed: 1}
	all, now, err := c.chosen()
	if err != nil || len(all) == 0 || len(now) != len(all) {
		t.Fatalf("%d of %d cells, %v, want all", len(now), len(all), err)
	}
	if err = os.MkdirAll(c.dir(all[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	// A cell that was cut off has no verdict.
	if _, now, _ = c.chosen(); len(now) != len(all) {
		t.Errorf("%d of %d cells, want all", len(now), len(all))
	}
	verdict := check.Verdict{Facts: check.Facts{Cell: all[0]}, Broken: []check.Broken{{Invariant: 8, Text: "left over"}}}
	if err = saveVerdict(c.dir(all[0]), verdict); err != nil {
		t.Fatal(err)
	}
	if got, loadErr := loadVerdict(c.dir(all[0])); loadErr != nil || !reflect.DeepEqual(got, verdict) {
		t.Errorf("saved %+v and loaded %+v, %v", verdict, got, loadErr)
	}
	if _, now, _ = c.chosen(); len(now) != len(all)-1 || now[0] != all[1] {
		t.Errorf("%d of %d cells from %v, want all but the first", len(now), len(all), now[0])
	}
	// A cell that somebody named is in the table beside the plan's cells.
	others := slices.DeleteFunc(check.Cells(), func(cell check.Cell) bool { return slices.Contains(all, cell) })
	if err = os.MkdirAll(c.dir(others[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	if err = saveVerdict(c.dir(others[0]), check.Verdict{Facts: check.Facts{Cell: others[0]}}); err != nil {
		t.Fatal(err)
	}
	if named, namedErr := c.byName(all); namedErr != nil || !slices.Equal(named, others[:1]) {
		t.Errorf("played by name: %v, %v, want %v", named, namedErr, others[0])
	}
	c.cells = all[0].Name()
	if _, now, err = c.chosen(); err != nil || len(now) != 1 || now[0] != all[0] {
		t.Errorf("got %v, %v", now, err)
	}
	c.cells = "KILL everybody"
	if _, _, err = c.chosen(); err == nil {
		t.Error("an unknown cell is taken")
	}
}

// The sample of "make test" has each action, on the quick backend; "make test-long" plays others.
func TestSample(t *testing.T) {
	cells := map[string][]check.Cell{}
	for _, name := range []string{"sample", "long"} {
		c := campaign{out: t.TempDir(), cells: name}
		all, _, err := c.chosen()
		if err != nil {
			t.Fatal(err)
		}
		cells[name] = all
	}
	actions := map[check.Action]bool{}
	for _, cell := range cells["sample"] {
		actions[cell.Action] = true
		if cell.Slurm != check.Of(backend.External) {
			t.Errorf("%s is not on %s", cell.Name(), check.Of(backend.External))
		}
		if slices.Contains(cells["long"], cell) {
			t.Errorf("%s is played by both", cell.Name())
		}
	}
	for _, action := range []check.Action{check.Kill, check.Term, check.Pause, check.Stop, check.Exhaust} {
		if !actions[action] {
			t.Errorf("no cell has %s", action)
		}
	}
}

// The table has a row for each cell, in one line however long its reason, and says what
// cannot be produced.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	cell := check.Cover(check.Cells(), 1)[0]
	reason := "slurmctld died; its last | log lines:\n" + strings.Repeat("x", 300)
	facts := check.Facts{Cell: cell, Status: trace.StatusFailed, Reason: reason, TookSeconds: 3.4}
	if err := writeTables(dir, []check.Verdict{{Facts: facts, Broken: []check.Broken{{Invariant: 9, Text: "the fresh run is failed"}}}}, check.Cover(check.Cells(), 1)[:2]); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, tableName))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 of the 2 cells of the plan were played, and 0 others that were named; of these 1, 0 broke no invariant.",
		"| failed | 3 | slurmctld died; its last \\| log lines: | (9) the fresh run is failed |\n",
		"\n- clock of the host: the clock of the machine is not the campaign's to step",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the table has no %q:\n%s", want, text)
		}
	}
}

// What the record says of the cells is what make faults-table writes of its outcomes.
func TestRecordedCells(t *testing.T) {
	const record = "../../docs/records/016-faults/"
	page, err := os.ReadFile(record + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := os.ReadFile(record + outcomesName)
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []check.Verdict
	for line := range bytes.Lines(outcomes) {
		var v check.Verdict
		if err = json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, v)
	}
	if want := summary(verdicts, slices.Concat(check.Cover(check.Cells(), 1), check.PluginCells())); !bytes.Contains(page, want) {
		t.Errorf("the page does not say: %s", want)
	}
}

// The table in the documents is written by a command and by nobody's hand: what stands
// around it stays, and a second time changes nothing.
func TestTableInDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "README.md")
	text := "# Faults\n\n" + tableBegins + "old\n" + tableEnds + "\nThe end.\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	verdicts := []check.Verdict{{Facts: check.Facts{Cell: check.Cover(check.Cells(), 1)[0], Status: trace.StatusComplete}}}
	var first string
	for range 2 {
		if err := intoDocument(path, verdicts, check.Cover(check.Cells(), 1)[1:4]); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(path)
		if err != nil || first != "" && string(now) != first {
			t.Fatalf("the second time it is %s, %v", now, err)
		}
		first = string(now)
	}
	if !strings.HasPrefix(first, "# Faults\n\n"+tableBegins+"\n0 of the 3 cells of the plan were played, and 1 others that were named; of these 1, 1 broke no invariant.") || strings.Contains(first, "old") ||
		!strings.HasSuffix(first, "\n"+tableEnds+"\nThe end.\n") {
		t.Errorf("the document is %s", first)
	}
	kept, err := os.ReadFile(filepath.Join(filepath.Dir(path), "outcomes.jsonl"))
	if err != nil || strings.Count(string(kept), "\n") != 1 {
		t.Errorf("the verdicts are %q, %v", kept, err)
	}
	if err = os.WriteFile(path, []byte("# Faults\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err = intoDocument(path, verdicts, check.Cover(check.Cells(), 1)[1:4]); err == nil {
		t.Error("a document without a place for the table is taken")
	}
}

// When the first job ends, others run and others wait, and all fit the machine.
func TestWorkloadOverlaps(t *testing.T) {
	c := campaign{out: t.TempDir(), images: map[string]*string{}}
	if err := c.furnish(); err != nil {
		t.Fatal(err)
	}
	m, err := workloads.LoadMachine(c.stage.Machine)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(c.stage.Workload)
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.Jobs(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	work, longest := 0, 0
	for _, j := range all {
		work, longest = work+j.Cores*j.Runtime, max(longest, j.Runtime)
	}
	if least := work / (m.Nodes * m.Cores); least < 2*longest || least > 180 {
		t.Errorf("%d jobs take %d s at least, the longest %d s", len(all), least, longest)
	}
}
