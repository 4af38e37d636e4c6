package metric

import (
	"math"
	"slices"
)

// spread computes what is more than a mean second by second, and quantiles as the least value that so many jobs do not
// exceed.
func (n naiveRun) spread(values map[string]float64) {
	var counted []naiveJob
	values["never_started"] = 0
	for _, j := range n.jobs {
		if j.used == nil && j.outcome != "cancelled_pending" {
			values["never_started"]++
		}
		if j.counts() {
			counted = append(counted, j)
		}
	}
	for key, of := range map[string]string{"waiting_quantiles_s": "waiting_s", "bounded_slowdown_quantiles": "bounded_slowdown"} {
		for name, percent := range map[string]float64{"p50": 50, "p95": 95, "p99": 99, "max": 100} {
			if len(counted) > 0 {
				values[key+"."+name] = naiveQuantile(counted, of, percent)
			}
		}
	}
	area, turnaround, used, lost := 0.0, 0.0, 0.0, 0.0
	for _, j := range n.jobs {
		seconds, cores := float64(j.end-j.start), float64(j.cores())
		if j.used == nil {
			continue
		}
		used += cores * seconds
		if j.state != "COMPLETED" {
			lost += cores * seconds
		}
		if j.counts() {
			area += cores * math.Max(1, seconds)
			turnaround += cores * float64(j.end-j.submit)
		}
	}
	if area > 0 {
		values["area_weighted_slowdown"] = turnaround / area
	}
	values["lost_work"] = lost / math.Max(1, used)
	values["cpu_in_use"] = used / float64(n.machine.Nodes*n.machine.Cores) / float64(n.last-n.first)
	n.busySpan(values, counted)
}

func (j naiveJob) cores() (sum int) {
	for _, c := range j.used {
		sum += c
	}
	return sum
}

// naiveQuantile tries every value.
func naiveQuantile(jobs []naiveJob, key string, percent float64) float64 {
	least := math.Inf(1)
	for _, j := range jobs {
		upTo := 0
		for _, o := range jobs {
			if o.values[key] <= j.values[key] {
				upTo++
			}
		}
		if 100*float64(upTo) >= percent*float64(len(jobs)) {
			least = math.Min(least, j.values[key])
		}
	}
	return least
}

// fills is the first second at which the machine is too small for the jobs that run if each starts as it is submitted.
func (n naiveRun) fills() (from, last int64) {
	last = slices.MaxFunc(n.jobs, func(a, b naiveJob) int { return int(a.submit - b.submit) }).submit
	for from = n.first; from < last; from++ {
		cores, gpus := 0, 0
		for _, j := range n.jobs {
			if j.submit <= from && j.submit+int64(j.length) > from {
				cores, gpus = cores+j.asked, gpus+j.gpusMin*j.fewest
			}
		}
		if cores > n.machine.Nodes*n.machine.Cores || gpus > n.machine.Nodes*n.machine.GPUs {
			break
		}
	}
	return from, last
}

func (n naiveRun) busySpan(values map[string]float64, counted []naiveJob) {
	from, last := n.fills()
	if from >= last {
		return
	}
	cores, gpus := 0, 0
	for second := from; second < last; second++ {
		for _, j := range n.jobs {
			if j.used != nil && j.start <= second && j.end > second {
				cores += j.cores()
				gpus += j.gpus * len(j.used)
			}
		}
	}
	seconds := float64(last - from)
	values["busy_span.from_s"], values["busy_span.to_s"] = float64(from-n.first), float64(last-n.first)
	values["busy_span.cpu_in_use"] = float64(cores) / seconds / float64(n.machine.Nodes*n.machine.Cores)
	values["busy_span.gpu_in_use"] = float64(gpus) / seconds / float64(n.machine.Nodes*n.machine.GPUs)
	var waits []float64
	for _, j := range counted {
		if j.submit >= from {
			waits = append(waits, j.values["waiting_s"])
		}
	}
	values["busy_span.waiting_s"] = mean(waits)
}
