package metric

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// writeRun writes the raw files of a backfill run of random jobs: first come,
// first served, on nodes counted from a random one on. Some jobs fail, some end
// in the second of their start, some are cancelled in the queue; there are three
// users, and a published minimum as of ESP. Some jobs fail and so on because the workload
// plans it, if it has outcomes.
func writeRun(t testing.TB, m workloads.Machine, count int, seed uint64, outcomes ...workloads.Outcome) trace.Dir {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	jobs := make([]workloads.Job, count)
	for i := range jobs {
		jobs[i] = randomJob(r, m, i+1)
		if len(outcomes) == 0 {
			continue
		}
		switch jobs[i].Outcome = outcomes[i%len(outcomes)]; jobs[i].Outcome {
		case workloads.Timeout:
			jobs[i].Runtime, jobs[i].Limit = 60, 60
		case workloads.CancelledPending:
			jobs[i].Runtime, jobs[i].CancelAfter = 0, 1+r.IntN(100)
		case workloads.Completed, workloads.Failed, workloads.Cancelled, workloads.OutOfMemory:
		}
	}
	var workload, accounting strings.Builder
	if err := workloads.WriteCSV(&workload, jobs); err != nil {
		t.Fatal(err)
	}
	accounting.WriteString("JobID|JobName|User|Partition|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|NCPUS|ReqTRES|AllocTRES|NodeList\n")
	lab := newFreeNodes(m)
	for _, j := range jobs {
		accounting.WriteString(lab.line(r, j))
	}
	path := filepath.Join(t.TempDir(), "run")
	dir, err := trace.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	run := backfillRun(count)
	run.Machine, run.RealSeconds = m, 123.5
	run.WorkloadSpec = []byte(`{"generator":"esp","minimum_runtime":"4m10s"}`)
	if err := dir.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		dir.WorkloadFile(): workload.String(), dir.SacctFile(): accounting.String(),
		dir.SdiagFile(): "Backfilling stats\n\tTotal cycles: 0\n\tMax cycle: 0\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// randomJob draws from few kinds of request, so that the linear program over all
// mixes of them stays small.
func randomJob(r *rand.Rand, m workloads.Machine, id int) workloads.Job {
	j := workloads.Job{ID: id, Arrival: 4 * id, Runtime: 20 + r.IntN(200), Limit: 600, Contiguous: r.IntN(3) == 0, Class: "core"}
	nodes := 1 + r.IntN(max(1, m.Nodes/4))
	switch r.IntN(4) {
	case 0:
		j.Cores = 1 + r.IntN(nodes*m.Cores)
	case 1:
		j.Class, j.Nodes, j.Cores = "node", nodes, nodes+r.IntN(nodes*(m.Cores-1)+1)
	case 2:
		j.Class, j.Nodes, j.Cores, j.GPUsMin, j.GPUsMax = "gpu1", nodes, nodes+(nodes+1)/2, 1, 1
	default:
		j.Class, j.Nodes, j.CoresPerNode, j.GPUsMin, j.GPUsMax = "range", nodes, m.Cores/2, 1, m.GPUs
		j.Cores = nodes * j.CoresPerNode
	}
	return j
}

// freeNodes is a machine in use.
type freeNodes struct {
	machine     workloads.Machine
	now         int
	cores, gpus []int
	running     []held
}

// held is a running job: cores by node, GPUs on each.
type held struct {
	end, gpus int
	cores     map[int]int
}

func newFreeNodes(m workloads.Machine) *freeNodes {
	f := &freeNodes{machine: m, cores: make([]int, m.Nodes), gpus: make([]int, m.Nodes)}
	for n := range f.cores {
		f.cores[n], f.gpus[n] = m.Cores, m.GPUs
	}
	return f
}

// line runs the job as soon as it fits and returns its row of sacct.
func (f *freeNodes) line(r *rand.Rand, j workloads.Job) string {
	f.now = max(f.now, j.Arrival)
	user := []string{"ann", "bob", "eve"}[min(r.IntN(6), 2)]
	stamp := func(s int) string { return time.Unix(1_700_000_000+int64(s), 0).UTC().Format("2006-01-02T15:04:05") }
	if r.IntN(25) == 0 {
		at := stamp(j.Arrival + r.IntN(50))
		return fmt.Sprintf("%d|%d|%s|main|CANCELLED by 0|0:0|%s|%s|None|%s|0|10|0|0|cpu=1||None assigned\n", j.ID, j.ID, user, stamp(j.Arrival), stamp(j.Arrival), at)
	}
	if j.Outcome == workloads.CancelledPending && r.IntN(3) > 0 {
		at := stamp(j.Arrival + j.CancelAfter)
		return fmt.Sprintf("%d|%d|%s|main|CANCELLED by 0|0:0|%s|Unknown|%s|%s|0|10|0|0|cpu=1||None assigned\n", j.ID, j.ID, user, stamp(j.Arrival), at, at)
	}
	gpus := j.GPUsMin + r.IntN(j.GPUsMax-j.GPUsMin+1)
	cores := f.fit(r, j, gpus)
	for ; cores == nil; cores = f.fit(r, j, gpus) {
		f.advance()
	}
	elapsed, state := j.RuntimeOn(gpus)+r.IntN(2), j.Outcome.State()
	if r.IntN(20) == 0 {
		elapsed, state = r.IntN(3), "FAILED"
	}
	total := 0
	var nodes []string
	for n, c := range cores {
		f.cores[n] -= c
		f.gpus[n] -= gpus
		total += c
		nodes = append(nodes, fmt.Sprintf("n%d", n+1))
	}
	f.running = append(f.running, held{f.now + elapsed, gpus, cores})
	slices.SortFunc(nodes, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	tres := fmt.Sprintf("billing=%d,cpu=%d,gres/gpu=%d,node=%d", total, total, gpus*len(cores), len(cores))
	return fmt.Sprintf("%d|%d|%s|main|%s|0:0|%s|%s|%s|%s|%d|10|%d|%d|%s|%s|%s\n", j.ID, j.ID, user, state,
		stamp(j.Arrival), stamp(j.Arrival), stamp(f.now), stamp(f.now+elapsed), elapsed, len(cores), total, tres, tres, strings.Join(nodes, ","))
}

// fit finds cores on nodes for the job, or nil.
func (f *freeNodes) fit(r *rand.Rand, j workloads.Job, gpus int) map[int]int {
	first, left, cores := r.IntN(f.machine.Nodes), j.Cores, map[int]int{}
	for i := range f.machine.Nodes {
		n := (first + i) % f.machine.Nodes
		take := min(f.cores[n], left)
		if j.Nodes > 0 {
			// The first nodes get one core more than the others.
			take = (left + j.Nodes - len(cores) - 1) / (j.Nodes - len(cores))
		}
		if take == 0 || f.cores[n] < take || f.gpus[n] < gpus {
			continue
		}
		cores[n] = take
		if left -= take; left == 0 && (j.Nodes == 0 || len(cores) == j.Nodes) {
			return cores
		}
	}
	return nil
}

// advance goes on to the next end of a job and frees what it held.
func (f *freeNodes) advance() {
	next := slices.MinFunc(f.running, func(a, b held) int { return cmp.Compare(a.end, b.end) }).end
	f.now = max(f.now, next)
	f.running = slices.DeleteFunc(f.running, func(p held) bool {
		if p.end > f.now {
			return false
		}
		for n, c := range p.cores {
			f.cores[n] += c
			f.gpus[n] += p.gpus
		}
		return true
	})
}

// withVictims makes victims of the jobs of a run that failed: an event took all nodes down.
func withVictims(t testing.TB, dir trace.Dir) trace.Dir {
	t.Helper()
	text, err := os.ReadFile(dir.SacctFile())
	if err == nil {
		err = os.WriteFile(dir.SacctFile(), []byte(strings.ReplaceAll(string(text), "|FAILED|", "|NODE_FAIL|")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := dir.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	down := events.Event{Kind: events.Down, Nodes: fmt.Sprintf("n[1-%d]", run.Machine.Nodes)}
	run.Events, run.Happened = events.SumOf([]events.Event{down}), []trace.Happened{{Event: down}}
	if err := dir.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	return dir
}
