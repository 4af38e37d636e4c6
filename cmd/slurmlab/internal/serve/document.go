package serve

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// document is one run as the page draws it. Times are virtual seconds since the first
// submission.
type document struct {
	summary
	Basis basis `json:"basis"`
	// Now is the virtual time up to which a run is known that is not complete, 0 for a
	// complete one.
	Now       float64       `json:"now"`
	End       float64       `json:"end"`
	Machine   machineOf     `json:"machine_of"`
	Facts     []fact        `json:"facts"`
	Warnings  []string      `json:"warnings"`
	Families  []plot.Family `json:"families"`
	Jobs      []job         `json:"jobs_of"`
	Curves    curves        `json:"curves"`
	Metrics   *tableOf      `json:"metrics,omitempty"`
	Explained bool          `json:"explained"`
}

type machineOf struct {
	Nodes    int `json:"nodes"`
	AllCores int `json:"all_cores"`
	AllGPUs  int `json:"all_gpus"`
	// Names are what the site calls its nodes, if that is known.
	Names []string `json:"names,omitempty"`
}

type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// job is one job as the panel of a job shows it. What is not known is left out.
type job struct {
	ID       int      `json:"id"`
	Slurm    int      `json:"slurm,omitempty"`
	State    string   `json:"state"`
	User     string   `json:"user,omitempty"`
	Class    string   `json:"class,omitempty"`
	Submit   float64  `json:"submit"`
	Eligible *float64 `json:"eligible,omitempty"`
	Start    *float64 `json:"start,omitempty"`
	Finish   *float64 `json:"finish,omitempty"`
	Wait     *float64 `json:"wait,omitempty"`
	Slowdown *float64 `json:"slowdown,omitempty"`
	Limit    int      `json:"limit,omitempty"`
	// Cores, GPUs and Nodes are those over all nodes that the job got, or of one that has not
	// started, that it asks for.
	Cores int    `json:"cores"`
	GPUs  int    `json:"gpus"`
	Nodes int    `json:"nodes"`
	List  string `json:"list,omitempty"`
	// Rects and Colour are those of plot.Bar; the colours are counted over the families.
	Rects [][2]float64 `json:"rects,omitempty"`
	// Turns are what the agent's cycles say of the job; none in a run without an agent.
	Turns  []turn `json:"turns,omitempty"`
	Colour int    `json:"colour"`
}

// curves are step functions: from each time on the value behind it.
type curves struct {
	Cores [][2]float64 `json:"cores"`
	GPUs  [][2]float64 `json:"gpus"`
	Queue [][2]float64 `json:"queue"`
}

// tableOf is a table for people; CSV is where it is as data, from the page's address.
type tableOf struct {
	Titles []string   `json:"titles"`
	Words  []bool     `json:"words"`
	Rows   [][]string `json:"rows"`
	CSV    string     `json:"csv"`
}

func newTable(v table.View, csv string) *tableOf {
	return &tableOf{Titles: v.Header(), Words: v.Words(), Rows: v.Rows(), CSV: csv}
}

// newDocument reads a run.
func newDocument(dir trace.Dir, head summary) (document, error) {
	r, known, err := load(dir, metric.Load)
	if err != nil {
		return document{}, err
	}
	d := document{
		summary: head, Basis: known, Machine: machineOf{r.Run.Machine.Nodes, r.Run.Machine.AllCores(), r.Run.Machine.AllGPUs(), r.Run.Machine.Layout.SiteNames()},
		Facts: factsOf(r), Warnings: report.WarningsOfRun(r), Families: plot.Palette(),
		Explained: !r.Run.HasAgent() || dir.Has("snapshots.jsonl.gz"),
	}
	if head.UnderWay {
		// Until it ends, its record has the reason of a run that was killed.
		d.Warnings = []string{}
	}
	for _, j := range r.Jobs {
		d.End = max(d.End, j.Finish)
	}
	if known != fromAccounting || !r.Complete() {
		d.Now = d.End
	}
	if d.Jobs, err = jobsOf(dir, r, known); err != nil {
		return document{}, err
	}
	d.Curves = curvesOf(r, d.Now)
	if r.Metrics != nil {
		t, tableErr := table.Measures([]metric.Metrics{*r.Metrics}, metric.Measures())
		if tableErr != nil {
			return document{}, tableErr
		}
		d.Metrics = newTable(t.Wide(), "api/run/"+head.Key+"/metrics.csv")
	}
	return d, nil
}

func factsOf(r metric.Result) []fact {
	m := r.Run.Machine
	facts := []fact{
		{"machine", fmt.Sprintf("%s: %s, %d cores, %d GPUs", m.Name, text.Plural(m.Nodes, "node"), m.AllCores(), m.AllGPUs())},
		{"workload", r.Run.Workload + ", " + r.Run.Replica()},
		{"jobs", strconv.Itoa(r.Run.Jobs)},
		{"backend", r.Run.BackendName()},
		{"clock", r.Run.Clock},
		{"slurmlab", text.OrNothing(r.Run.ToolVersion)},
	}
	if !r.Run.Started.IsZero() {
		facts = append(facts, fact{"made", r.Run.Started.Format("2006-01-02 15:04 UTC")})
	}
	return facts
}

// jobsOf are the jobs of a run in their order, with their places in its Gantt chart.
func jobsOf(dir trace.Dir, r metric.Result, known basis) ([]job, error) {
	if len(r.Jobs) == 0 {
		return []job{}, nil
	}
	drawn := r.Jobs
	if known != fromAccounting {
		// A job that runs has the colour that it will have.
		drawn = append([]trace.FinishedJob(nil), r.Jobs...)
		for i := range drawn {
			if drawn[i].State == running || drawn[i].State == planned {
				drawn[i].State = "COMPLETED"
			}
		}
	}
	bars, err := plot.Bars(plot.Schedule{Name: r.Run.Policy, Machine: r.Run.Machine, Jobs: drawn})
	if err != nil {
		return nil, err
	}
	eligible, err := eligibleOf(dir, known)
	if err != nil {
		return nil, err
	}
	turns, names := turnsOf(r.Jobs, r.Cycles), r.Run.Machine.Layout.SiteNames()
	jobs := make([]job, len(r.Jobs))
	for i, j := range r.Jobs {
		one := job{
			ID: j.ID, Slurm: j.SlurmID, State: j.State, User: j.User, Class: j.Class, Submit: j.Submit, Limit: j.Limit,
			Cores: j.Cores, GPUs: j.GPUsMin * max(1, j.Nodes), Nodes: j.Nodes, Eligible: eligible[j.ID], Rects: rounded(bars[i].Rects), Colour: bars[i].Colour, Turns: turns[j.ID],
		}
		if j.State != pending {
			one.Finish = &j.Finish
		}
		if j.Started() {
			wait, slowdown := j.TotalWait(), metric.Slowdown(j)
			one.Start, one.Wait = &j.Start, &wait
			if j.State != running {
				one.Slowdown = &slowdown
			}
			one.Cores, one.GPUs, one.Nodes, one.List = j.AllocCores, j.AllocGPUs, len(j.Allocated), nodeList(j.Allocated, names)
		}
		jobs[i] = one
	}
	return jobs, nil
}

// rounded are the rectangles to a ten-thousandth of a node, which nobody sees.
func rounded(rects [][2]float64) [][2]float64 {
	for i, r := range rects {
		rects[i] = [2]float64{math.Round(r[0]*1e4) / 1e4, math.Round(r[1]*1e4) / 1e4}
	}
	return rects
}

// nodeList are the nodes by their names at the site, if there are some.
func nodeList(nodes []int, atSite []string) string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = layout.NameOf(n, atSite)
	}
	return values.CompressHosts(names)
}

// eligibleOf says from when on Slurm could have started each job, by its id.
func eligibleOf(dir trace.Dir, known basis) (map[int]*float64, error) {
	if known != fromAccounting {
		return nil, nil
	}
	_, rows, err := dir.Accounting()
	if err != nil {
		return nil, err
	}
	rows = accounting.WithoutForgotten(rows)
	first := trace.FirstSubmit(rows)
	eligible := map[int]*float64{}
	for _, row := range rows {
		if id, nameErr := strconv.Atoi(row.JobName); nameErr == nil && !row.Eligible.IsZero() {
			at := row.Eligible.Sub(first).Seconds()
			eligible[id] = &at
		}
	}
	return eligible, nil
}

// curvesOf are the curves of a run that is known up to now, or as a whole. What runs and waits then is not over: the curves
// end there and do not fall to 0.
func curvesOf(r metric.Result, now float64) curves {
	jobs := slices.Clone(r.Jobs)
	for i, j := range jobs {
		if j.State == running || j.State == pending {
			jobs[i].Finish = math.Inf(1)
		}
	}
	if now == 0 {
		now = math.MaxFloat64
	}
	s := metric.NewSeries(r.Run.Machine, jobs)
	return curves{Cores: pairs(s.UsedCores, now), GPUs: pairs(s.UsedGPUs, now), Queue: pairs(s.Queue, now)}
}

// pairs are the points up to now.
func pairs(points []metric.Point, now float64) [][2]float64 {
	list := [][2]float64{}
	for _, p := range points {
		if p.T <= now {
			list = append(list, [2]float64{p.T, p.V})
		}
	}
	return list
}
