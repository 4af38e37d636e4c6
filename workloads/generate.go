package workloads

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// draft is a drawn job that has no id and no arrival yet.
type draft struct {
	kind    JobType
	shape   shape
	size    int // units
	runtime int // seconds
	contig  bool
}

// work is the draft's cores times its run time, in core-seconds.
func (d draft) work() int64 { return int64(d.size) * int64(d.shape.cores) * int64(d.runtime) }

// Generate draws the jobs of the spec for a machine, as in AUCSCHED section
// 6.1. They are numbered from 1 in the order of arrival.
//
// Type, run time, list entries and size are uniform (the type by its share). "The number of CPUs a job requests is
// multiples of the CPUs per node in a system". So a request for cores only takes whole nodes' worth of cores. A node
// request takes only those node counts for which nodes*cores per node is such a multiple. Where the machine has too
// few nodes for one such count, any count is taken.
//
// Without a number of jobs, jobs are drawn until the theoretical runtime is reached. The last one gets a shorter run
// time, and fewer nodes where even the shortest run time is too long. Then the theoretical runtime differs from the
// requested one by at most the smallest job of its type. The last job is left out when that comes nearer, but there
// is always one job. With a number of jobs, so many are drawn, and their run times are scaled by one factor, see
// scaleRuntimes.
//
// The error lists every entry of the spec that does not fit on the machine.
func (s Spec) Generate(m Machine, seed uint64) ([]Job, error) {
	shapes, err := s.shapes(m)
	if err != nil {
		return nil, err
	}
	var drafts []draft
	if s.Jobs > 0 {
		drafts, err = s.drawCount(shapes, m, seed)
	} else {
		drafts, err = s.drawWork(shapes, m, seed)
	}
	if err != nil {
		return nil, fmt.Errorf("generate workload %s on machine %s: %w", s.Name, m.Name, err)
	}
	jobs, err := s.number(drafts, seed)
	if err != nil {
		return nil, fmt.Errorf("generate workload %s on machine %s: %w", s.Name, m.Name, err)
	}
	return jobs, nil
}

// work is the theoretical runtime that the jobs shall reach, times the machine's
// cores: in core-seconds.
func (s Spec) work(m Machine) int64 {
	return int64(s.EstimatedRuntime.Duration/time.Second) * int64(m.AllCores())
}

// drawWork draws jobs until the theoretical runtime is reached.
func (s Spec) drawWork(shapes [][]shape, m Machine, seed uint64) ([]draft, error) {
	shortest, longest := s.Runtime.seconds()
	draw := newStream(seed, jobStream)
	var drafts []draft
	for rest := s.work(m); rest > 0; {
		d := s.draw(draw, shapes)
		if d.work() >= rest {
			d = d.trim(rest, shortest, longest)
			if len(drafts) == 0 || abs(rest-d.work()) < rest {
				drafts = append(drafts, d)
			}
			break
		}
		if len(drafts) == MaxJobs {
			return nil, fmt.Errorf("got more than %d jobs, allowed %d (lower theoretical_runtime, or raise max_cores or runtime)", MaxJobs, MaxJobs)
		}
		drafts = append(drafts, d)
		rest -= d.work()
	}
	return drafts, nil
}

// shapes returns, for each job type, the shapes that its list allows.
func (s Spec) shapes(m Machine) ([][]shape, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	rep := faults.List{Name: fmt.Sprintf("workload %s on machine %s", s.Name, m.Name)}
	for _, f := range s.faults() {
		rep.Add(0, f)
	}
	if err := rep.Err(); err != nil {
		return nil, err
	}
	most := max(m.Cores, int(int64(m.AllCores())*ppm(s.MaxCores)/million))
	var out [][]shape
	for i, t := range s.Types {
		for _, f := range t.misfits(m) {
			rep.Addf(0, "types[%d].%w", i, f)
		}
		out = append(out, t.shapes(m, most))
	}
	return out, rep.Err()
}

// draw takes the numbers of one job in the order that jobStream documents.
// Each number is drawn even if the job has no use for it, so that the same job of
// another version of the workload (contiguous or not) gets the same numbers.
func (s Spec) draw(from stream, shapes [][]shape) draft {
	i := s.drawType(from)
	d := draft{kind: s.Types[i], runtime: s.Runtime.draw(from)}
	d.shape = shapes[i][from.below(uint64(len(shapes[i])))]
	d.size = from.between(1, d.shape.count)
	d.contig = from.below(million) < uint64(ppm(s.Contiguous))
	return d
}

func (s Spec) drawType(from stream) int {
	var sum uint64
	for _, t := range s.Types {
		sum += uint64(ppm(t.Share))
	}
	at := from.below(sum)
	i := 0
	for at >= uint64(ppm(s.Types[i].Share)) {
		at -= uint64(ppm(s.Types[i].Share))
		i++
	}
	return i
}

// trim shortens the last job of a workload, whose work is at least the rest core-seconds
// that are missing, so that its work comes as near to rest as possible. It keeps as many
// of its nodes as the shortest run time allows.
func (d draft) trim(rest int64, shortest, longest int) draft {
	unit := int64(d.shape.cores)
	fits := int(max(1, min(int64(d.size), rest/(unit*int64(shortest)))))
	best := d
	for size := fits; size <= min(fits+1, d.size); size++ {
		cores := int64(size) * unit
		t := d
		t.size = size
		t.runtime = int(max(int64(shortest), min(int64(longest), (rest+cores/2)/cores)))
		if size == fits || abs(rest-t.work()) < abs(rest-best.work()) {
			best = t
		}
	}
	return best
}

// number gives the drafts ids and arrivals, in the order of arrival.
func (s Spec) number(drafts []draft, seed uint64) ([]Job, error) {
	arrivals, err := s.Arrival.times(len(drafts), seed)
	if err != nil {
		return nil, err
	}
	limits := newStream(seed, limitStream)
	jobs := make([]Job, len(drafts))
	for i, d := range drafts {
		jobs[i] = Job{
			ID:         i + 1,
			Arrival:    arrivals[i],
			Runtime:    d.runtime,
			Limit:      s.Limit.draw(limits, d.runtime),
			Nodes:      d.size * d.shape.nodes,
			Cores:      d.size * d.shape.cores,
			GPUsMin:    d.kind.GPUs,
			GPUsMax:    max(d.kind.GPUs, d.kind.GPUsMax),
			Contiguous: d.contig,
			Class:      d.kind.Class,
		}
		if !d.kind.TotalOnly {
			jobs[i].CoresPerNode = d.shape.perNode
		}
	}
	return jobs, nil
}

func abs(x int64) int64 { return max(x, -x) }
