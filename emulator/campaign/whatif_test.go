package campaign_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// small are the files of a small site in testdata/whatif.
func small() campaign.Sources {
	below := func(name string) string { return filepath.Join("testdata/whatif", name) }
	from := real()
	from.Machine = func(name string) (workloads.Machine, error) { return workloads.LoadMachine(below(name)) }
	from.Trace = func(name string) (records.Source, error) {
		return records.Source{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(below(name)) }}, nil
	}
	return from
}

// TestWhatIf runs the cases of testdata/whatif.txt. "plan" has a scenarios mapping as its input, below the base of the
// small site. It prints the faults, or each run with what differs from the base: machine, jobs, events and policy.
// "file" has a whole file.
func TestWhatIf(t *testing.T) {
	datadriven.RunTest(t, "testdata/whatif.txt", func(t *testing.T, d *datadriven.TestData) string {
		text := d.Input + "\n"
		if d.Cmd == "plan" {
			text = "base: {machine: site.yaml, policy: backfill, trace: dump.txt, days: 2026-03-02..2026-03-03}\n" + text
		}
		plan, err := campaign.Read("whatif.yaml", []byte(text), small())
		if err != nil {
			return err.Error() + "\n"
		}
		return differences(t, plan)
	})
}

// differences prints the notes of a plan, and of each run what it has other than the run of the base.
func differences(t *testing.T, plan campaign.Plan) string {
	t.Helper()
	var b strings.Builder
	for _, note := range plan.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	base := map[string]campaign.Run{}
	for _, r := range plan.Runs {
		if r.Policy.Name == campaign.BaseName {
			base[fmt.Sprint(r.Label, r.Seed)] = r
		}
	}
	for _, r := range plan.Runs {
		of := base[fmt.Sprint(r.Label, r.Seed)]
		fmt.Fprintf(&b, "%s: %d jobs\n", r.Dir, len(r.Jobs))
		for _, line := range lacks(workloads.MachineFile(r.Machine), workloads.MachineFile(of.Machine)) {
			fmt.Fprintf(&b, "  machine +%s\n", line)
		}
		for _, line := range lacks(rows(t, r.Jobs), rows(t, of.Jobs)) {
			fmt.Fprintf(&b, "  jobs +%s\n", line)
		}
		for _, line := range lacks(rows(t, of.Jobs), rows(t, r.Jobs)) {
			fmt.Fprintf(&b, "  jobs -%s\n", line)
		}
		for _, e := range r.Events {
			fmt.Fprintf(&b, "  %d s: %s\n", e.At, e)
		}
		if r.Policy.Scheduler.Parameters != of.Policy.Scheduler.Parameters {
			fmt.Fprintf(&b, "  %s\n", r.Policy.Scheduler.Parameters)
		}
	}
	return b.String()
}

// lacks are the lines of a text that another one does not have.
func lacks(text, other string) []string {
	there := map[string]bool{}
	for line := range strings.Lines(other) {
		there[line] = true
	}
	var all []string
	for line := range strings.Lines(text) {
		if !there[line] {
			all = append(all, strings.TrimRight(line, "\n"))
		}
	}
	return all
}

// rows are jobs with what scenarios change.
func rows(t *testing.T, jobs []workloads.Job) string {
	t.Helper()
	var b strings.Builder
	for _, j := range jobs {
		fmt.Fprintf(&b, "job %d at %d s: %d s of %d s, %s in %s, QOS %s, %s %s\n", j.ID, j.Arrival, j.Runtime, j.Limit, j.Outcome, j.Partition, j.QOS, j.Dependency, j.NodeList)
	}
	return b.String()
}
