package backfill_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestPlan runs testdata/plan. "state nodes=N cores=C gpus=G" has a line for each
// job:
//
//	run ID NODES CORES [gpus=] end=SECONDS|never   on nodes FIRST-LAST, so many cores each
//	job ID [n=] [N=] [t=] [gpus=] [limit=SECONDS] [contiguous] [exclusive] [nodelist=0,1]
//
// "plan [reservations=] [resolution=SECONDS] [window=SECONDS]" plans all jobs from 0 s on.
func TestPlan(t *testing.T) {
	var s backfill.State
	datadriven.RunTest(t, "testdata/plan", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "state" {
			s = readState(t, d)
			return ""
		}
		var o backfill.Options
		var seconds, window int
		maybe(t, d, "reservations", &o.Reservations)
		maybe(t, d, "resolution", &seconds)
		maybe(t, d, "window", &window)
		o.Window = time.Duration(window) * time.Second
		o.Resolution = time.Duration(seconds) * time.Second
		var out strings.Builder
		for _, start := range backfill.Plan(s, o, len(s.Queue)) {
			fmt.Fprintf(&out, "job %d ", start.Job)
			if start.Never {
				fmt.Fprintln(&out, "never")
				continue
			}
			fmt.Fprintf(&out, "at %v on %s after %v behind %v\n", start.At, machine.Ranges(start.Nodes), start.After, start.Behind)
		}
		return out.String()
	})
}

func maybe(t *testing.T, d *datadriven.TestData, name string, to *int) {
	if d.HasArg(name) {
		d.ScanArgs(t, name, to)
	}
}

func readState(t *testing.T, d *datadriven.TestData) backfill.State {
	var s backfill.State
	var nodes int
	n := machine.Node{}
	d.ScanArgs(t, "nodes", &nodes)
	d.ScanArgs(t, "cores", &n.Cores)
	maybe(t, d, "gpus", &n.GPUs)
	n.FreeCores, n.FreeGPUs = n.Cores, n.GPUs
	for range nodes {
		s.Nodes = append(s.Nodes, n)
	}
	number := func(text string) int {
		v, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for text := range strings.SplitSeq(strings.TrimSpace(d.Input), "\n") {
		words := strings.Fields(text)
		options := map[string]string{}
		for _, w := range words[2:] {
			key, value, _ := strings.Cut(w, "=")
			options[key] = value
		}
		count := func(key string) int {
			if options[key] == "" {
				return 0
			}
			return number(options[key])
		}
		if words[0] == "job" {
			_, contiguous := options["contiguous"]
			_, exclusive := options["exclusive"]
			j := bidding.Job{
				ID: number(words[1]), Cores: count("n"), Nodes: count("N"), CoresPerNode: count("t"), GPUs: count("gpus"),
				Contiguous: contiguous, TimeLimit: time.Duration(count("limit")) * time.Second,
				Options: bidding.JobOptions{Exclusive: exclusive},
			}
			for _, node := range strings.FieldsFunc(options["nodelist"], func(r rune) bool { return r == ',' }) {
				j.Options.Required = append(j.Options.Required, number(node))
			}
			s.Queue = append(s.Queue, j)
			continue
		}
		r := machine.Holding{Job: number(words[1]), Allocation: machine.Allocation{GPUs: count("gpus")}}
		first, last, _ := strings.Cut(words[2], "-")
		for i := number(first); i <= number(last); i++ {
			r.Nodes, r.Cores = append(r.Nodes, i), append(r.Cores, number(words[3]))
			s.Nodes[i].FreeCores -= number(words[3])
			s.Nodes[i].FreeGPUs -= r.GPUs
		}
		if options["end"] != "never" {
			r.End = time.Duration(count("end")) * time.Second
		}
		s.Running = append(s.Running, r)
	}
	return s
}

func drawState(t *rapid.T) backfill.State {
	s := backfill.State{Now: time.Hour}
	for range rapid.IntRange(1, 8).Draw(t, "nodes") {
		s.Nodes = append(s.Nodes, machine.Node{Cores: 4, GPUs: 2, FreeCores: 4, FreeGPUs: 2})
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "running") {
		r := machine.Holding{Job: 100 + i, End: s.Now + time.Duration(rapid.IntRange(1, 900).Draw(t, "end"))*time.Second}
		cores, gpus := rapid.IntRange(1, 4).Draw(t, "cores"), rapid.IntRange(0, 2).Draw(t, "gpus")
		r.GPUs = gpus
		for n := rapid.IntRange(0, len(s.Nodes)-1).Draw(t, "first"); n < len(s.Nodes); n++ {
			if s.Nodes[n].FreeCores >= cores && s.Nodes[n].FreeGPUs >= gpus {
				s.Nodes[n].FreeCores -= cores
				s.Nodes[n].FreeGPUs -= gpus
				r.Nodes, r.Cores = append(r.Nodes, n), append(r.Cores, cores)
			}
		}
		if len(r.Nodes) > 0 {
			s.Running = append(s.Running, r)
		}
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "jobs") {
		j := bidding.Job{ID: i + 1, GPUs: rapid.IntRange(0, 2).Draw(t, "job gpus"), TimeLimit: time.Duration(rapid.IntRange(1, 600).Draw(t, "limit")) * time.Second}
		switch rapid.IntRange(1, 3).Draw(t, "type") {
		case 1:
			j.Cores = rapid.IntRange(1, 40).Draw(t, "n")
		case 2:
			j.Nodes = rapid.IntRange(1, 8).Draw(t, "N")
			j.Cores = j.Nodes * rapid.IntRange(1, 4).Draw(t, "per node")
		default:
			j.Nodes, j.CoresPerNode = rapid.IntRange(1, 8).Draw(t, "N"), rapid.IntRange(1, 4).Draw(t, "t")
		}
		j.Contiguous = rapid.Bool().Draw(t, "contiguous")
		s.Queue = append(s.Queue, j)
	}
	return s
}

// "Never" is said only of jobs that the idle machine does not hold either, since every running job has a limit. No
// job starts before now. A job's start does not depend on those after it in the queue ("conservative": reservations
// are kept).
func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		o := backfill.Options{Resolution: time.Minute}
		starts := backfill.Plan(s, o, len(s.Queue))
		idle := backfill.State{Nodes: make([]machine.Node, len(s.Nodes))}
		for i := range idle.Nodes {
			idle.Nodes[i] = machine.Node{Cores: 4, GPUs: 2, FreeCores: 4, FreeGPUs: 2}
		}
		for i, start := range starts {
			idle.Queue = s.Queue[i : i+1]
			if alone := backfill.Plan(idle, o, 1)[0]; alone.Never != start.Never {
				t.Fatalf("job %d: never %v, on the idle machine %v", start.Job, start.Never, alone.Never)
			}
			if start.Never {
				continue
			}
			if start.At < s.Now {
				t.Fatalf("job %d starts at %v, before now", start.Job, start.At)
			}
			if s.Queue[i].Contiguous && start.Nodes[len(start.Nodes)-1]-start.Nodes[0] != len(start.Nodes)-1 {
				t.Fatalf("contiguous job %d on %v", start.Job, start.Nodes)
			}
		}
		// Those that start now fit beside each other and the running jobs.
		left := make([]machine.Node, len(s.Nodes))
		copy(left, s.Nodes)
		for i, start := range starts {
			if start.Never || start.At > s.Now {
				continue
			}
			sum := 0
			for _, n := range start.Nodes {
				sum += left[n].FreeCores
				if left[n].FreeGPUs -= s.Queue[i].GPUs; left[n].FreeGPUs < 0 {
					t.Fatalf("job %d oversells the GPUs of node %d", start.Job, n)
				}
			}
			tasks := s.Queue[i].Cores
			if tasks == 0 {
				tasks = s.Queue[i].Nodes * s.Queue[i].CoresPerNode
			}
			if sum < tasks {
				t.Fatalf("job %d: %d free cores for %d tasks", start.Job, sum, tasks)
			}
			free := make([]int, len(start.Nodes))
			for k, n := range start.Nodes {
				free[k] = left[n].FreeCores
			}
			cores, err := machine.Place(free, machine.Request{Tasks: tasks, TasksPerNode: s.Queue[i].CoresPerNode})
			if err != nil {
				t.Fatalf("job %d: %v", start.Job, err)
			}
			for k, n := range start.Nodes {
				left[n].FreeCores -= cores[k]
			}
		}
	})
}
