package interchange_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// The window with the state has exactly the jobs that were in the system during it: those whose time from submission to end
// meets it. A job that ran has its rest, one that waited its age; those that ran come first, a minute before all others.
func TestStateIsWhatWasThere(t *testing.T) {
	const head = 60
	rapid.Check(t, func(t *rapid.T) {
		type record struct{ submit, wait, run, limit, status int }
		var trace strings.Builder
		var all []record
		submit := 0
		for i := range rapid.IntRange(2, 30).Draw(t, "jobs") {
			r := record{
				submit, rapid.IntRange(0, 900).Draw(t, "wait"), rapid.IntRange(1, 900).Draw(t, "run"),
				rapid.IntRange(900, 4000).Draw(t, "limit"), rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "status"),
			}
			if r.status == 5 && rapid.Bool().Draw(t, "never ran") {
				r.run, r.wait = 0, r.wait+1
			}
			fmt.Fprintf(&trace, "%d %d %d %d 1 -1 -1 1 %d -1 %d -1 -1 -1 -1 -1 -1 -1\n", i+1, r.submit, r.wait, r.run, r.limit, r.status)
			all = append(all, r)
			submit += rapid.IntRange(0, 400).Draw(t, "later")
		}
		from := rapid.IntRange(1, max(1, submit)).Draw(t, "from")
		until := from + rapid.IntRange(1, 3000).Draw(t, "span")
		var rows bytes.Buffer
		summary, err := interchange.Import(source("t.swf", trace.String()), "swf", &rows, interchange.ImportOptions{
			Machine: workloads.Machine{Name: "m", Nodes: 4, Cores: 4}, KeepState: true,
			Rescale: interchange.Rescale{From: interchange.Moment{After: time.Duration(from) * time.Second}, Until: interchange.Moment{After: time.Duration(until) * time.Second}},
		})
		want := map[int]bool{}
		running, waiting := 0, 0
		for i, r := range all {
			if r.submit < until && (r.submit >= from || r.submit+r.wait+r.run > from) {
				want[i+1] = true
			}
			if r.submit < from && want[i+1] {
				if r.run == 0 || r.submit+r.wait >= from {
					waiting++
				} else {
					running++
				}
			}
		}
		if err != nil {
			if len(want) == 0 {
				return
			}
			t.Fatal(err)
		}
		jobs, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+rows.String()), "w.csv")
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		for _, j := range jobs {
			r := all[j.ID-1]
			if !want[j.ID] {
				t.Fatalf("job %d, %+v, is not in %d to %d", j.ID, r, from, until)
			}
			delete(want, j.ID)
			kind := 2
			switch start := r.submit + r.wait; {
			case j.Ran > 0:
				kind = 0
				if j.Arrival != 0 || j.Ran != from-start || j.Runtime-head != start+r.run-from || j.Limit < j.Runtime || j.Waited != 0 {
					t.Fatalf("job %d, %+v, ran at %d: %+v", j.ID, r, from, j)
				}
			case j.Waited > 0:
				kind = 1
				if j.Arrival != head || j.Waited != from-r.submit || j.Runtime != r.run {
					t.Fatalf("job %d, %+v, waited at %d: %+v", j.ID, r, from, j)
				}
				if j.Outcome == workloads.CancelledPending && j.Waited+j.CancelAfter != r.wait {
					t.Fatalf("job %d, %+v, is cancelled after %d + %d s", j.ID, r, j.Waited, j.CancelAfter)
				}
			default:
				if j.Arrival-head != r.submit-from {
					t.Fatalf("job %d, %+v, arrives at %d s", j.ID, r, j.Arrival)
				}
			}
			order = append(order, kind)
		}
		if len(want) > 0 || !slices.IsSorted(order) {
			t.Fatalf("missing %v, order %v", want, order)
		}
		if told := fmt.Sprintf("%d jobs were running", running); running+waiting > 0 &&
			(!strings.Contains(strings.Join(summary.Text(), "\n"), told) || !strings.Contains(strings.Join(summary.Text(), "\n"), fmt.Sprintf("and %d were waiting", waiting))) {
			t.Fatalf("%s and %d waiting, told %q", told, waiting, summary.Text())
		}
	})
}

// A number of jobs counts the jobs of the window, whatever ran before it. An unknown state is refused.
func TestKeepState(t *testing.T) {
	trace := "1 0 0 500 1 -1 -1 1 900 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 50 300 10 1 -1 -1 1 900 -1 1 -1 -1 -1 -1 -1 -1 -1\n" +
		"3 100 0 10 1 -1 -1 1 900 -1 1 -1 -1 -1 -1 -1 -1 -1\n4 200 0 10 1 -1 -1 1 900 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
	o := interchange.ImportOptions{
		Machine: workloads.Machine{Name: "m", Nodes: 4, Cores: 4}, KeepState: true,
		Rescale: interchange.Rescale{From: interchange.Moment{After: 100 * time.Second}, MaxJobs: 1},
	}
	var rows bytes.Buffer
	summary, err := interchange.Import(source("t.swf", trace), "swf", &rows, o)
	if err != nil {
		t.Fatal(err)
	}
	// Job 1 has 400 s and the head start left, of 900 s 800 s, and Slurm's limits are whole minutes.
	want := "1,0,460,900,0,1,0,0,0,0,type1,0,100\n2,60,10,900,0,1,0,0,0,0,type1,50,0\n3,60,10,900,0,1,0,0,0,0,type1,0,0\n"
	if rows.String() != want || !strings.HasSuffix(workloads.CSVHeader(summary.Columns), ",class,waited_s,ran_s") {
		t.Errorf("got\n%s\n%s\nwant\n%s", workloads.CSVHeader(summary.Columns), rows.String(), want)
	}
	for name, change := range map[string]func(*interchange.ImportOptions) string{
		"keep-state: has no effect without a start": func(o *interchange.ImportOptions) string { o.Rescale.From = interchange.Moment{}; return "swf" },
		"keep-state: got an arrival factor of 2":    func(o *interchange.ImportOptions) string { o.Rescale.ArrivalFactor = 2; return "swf" },
		"keep-state: got a trace of format philly":  func(*interchange.ImportOptions) string { return "philly" },
	} {
		other := o
		format := change(&other)
		if _, err := interchange.Import(source("t.swf", trace), format, &rows, other); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

// Jobs that still ran when the trace was taken are a part of a workload that begins with the state of the cluster, up to their time
// limits. One without a limit, one in suspension and one with a fault are left out as before, and so are all of them without the state.
func TestJobsThatStillRan(t *testing.T) {
	const trace = `JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|NCPUS|AllocTRES|State
1|2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-01T02:00:00|7200|180|1|4|cpu=4|COMPLETED
2|2024-03-01T00:10:00|2024-03-01T00:10:00|Unknown|100|120|1|4|cpu=4|RUNNING
3|2024-03-01T01:30:00|2024-03-01T01:40:00|Unknown|100|30|1|4|cpu=4|RUNNING
4|2024-03-01T00:10:00|2024-03-01T00:10:00|Unknown|100|UNLIMITED|1|4|cpu=4|RUNNING
5|2024-03-01T00:10:00|2024-03-01T00:10:00|Unknown|100|120|1|4|cpu=4|SUSPENDED
6|2024-03-01T00:10:00|2024-03-01T00:10:00|Unknown|100|120|one|4|cpu=4|RUNNING
`
	o := interchange.ImportOptions{
		Machine: workloads.Machine{Name: "m", Nodes: 4, Cores: 4}, KeepState: true,
		Rescale: interchange.Rescale{From: interchange.Moment{Date: time.Date(2024, 3, 1, 1, 0, 0, 0, time.UTC)}},
	}
	var rows bytes.Buffer
	summary, err := interchange.Import(source("t.txt", trace), "sacct", &rows, o)
	if err != nil {
		t.Fatal(err)
	}
	// Job 2 has 70 minutes of its limit and the head start left, job 3 its limit.
	text := strings.Join(summary.Text(), "\n")
	if got := rows.String(); !strings.Contains(got, "\n2,0,4260,4260,") || !strings.Contains(got, "\n3,1860,1800,1800,") || strings.Count(got, "\n") != 3 ||
		!strings.Contains(text, "still ran: 2 jobs when the trace was taken, which run up to their time limits") || !strings.Contains(text, "3 left out (not ended)") {
		t.Errorf("got\n%s\n%s", got, text)
	}
	rows.Reset()
	o.KeepState = false
	o.Rescale.From = interchange.Moment{}
	if summary, err = interchange.Import(source("t.txt", trace), "sacct", &rows, o); err != nil || strings.Count(rows.String(), "\n") != 1 || summary.LeftOut["not ended"] != 5 {
		t.Errorf("got\n%s\n%v, %v", rows.String(), summary.LeftOut, err)
	}
}

// Jobs that ran when the window began have their nodes again (NodeList of sacct(1)) where the machine file names the
// nodes and these have room for them. The others may have any.
func TestStateOnItsNodes(t *testing.T) {
	o := interchange.ImportOptions{
		Machine: machine(t, `name: site
groups:
  - {name: thin, count: 4, cores: 8, hosts: "cn[1-4]"}
  - {name: fat, count: 2, cores: 8, gpus: 2, hosts: "gn[1-2]"}
partitions:
  - {name: batch, groups: [thin], default: true}
  - {name: gpu, groups: [fat]}
down_nodes:
  - {nodes: n4}
`), KeepState: true, Rescale: interchange.Rescale{From: interchange.Moment{After: 100 * time.Second}},
	}
	const header = "JobIDRaw|State|Submit|Start|End|Timelimit|NNodes|NCPUS|AllocTRES|Partition|NodeList\n"
	job := func(id, submit int, size, partition, nodes string) string {
		return fmt.Sprintf("%d|COMPLETED|%d|%d|1600|60|%s|%s|%s\n", id, 1000+submit, 1000+submit, size, partition, nodes)
	}
	s := wantRows(t, "sacct", header+
		job(1, 0, "1|4|", "batch", "cn9")+
		job(2, 10, "2|8|", "batch", "cn[1,3]")+
		job(3, 20, "1|5|", "batch", "cn1")+ // no room beside job 2
		job(4, 30, "1|4|", "batch", "cn1")+
		job(5, 40, "1|1|", "batch", "cn4")+ // down
		job(6, 50, "2|2|cpu=2,gres/gpu=4", "gpu", "gn[1-2]")+
		job(7, 60, "1|1|", "gpu", "cn2")+ // not of the partition
		job(8, 70, "1|1|", "batch", "None assigned")+
		job(9, 200, "1|4|", "batch", "cn2"), o,
		"2,0,560,3600,2,8,4,0,0,0,type3,batch,n[1&3],0,90",
		"4,0,560,3600,1,4,4,0,0,0,type3,batch,n1,0,70",
		"6,0,560,3660,2,2,1,2,2,0,gpu2,gpu,n[5-6],0,50",
		"1,0,560,3600,1,4,4,0,0,0,type3,batch,,0,100",
		"3,0,560,3600,1,5,5,0,0,0,type3,batch,,0,80",
		"5,0,560,3600,1,1,1,0,0,0,type3,batch,,0,60",
		"7,0,560,3660,1,1,1,0,0,0,type3,gpu,,0,40",
		"8,0,560,3660,1,1,1,0,0,0,type3,batch,,0,30",
		"9,160,400,3600,1,4,4,0,0,0,type3,batch,,0,0")
	const want = "8 jobs were running, with 1.4 node-hours to go, and 0 were waiting; the workload begins with them, 60 s before the window, 3 of the running ones on their nodes (nodelist)"
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
