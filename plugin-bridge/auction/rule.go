package auction

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Rule is how V_j of the objectives by value is made. Alike are the exponents while the
// time limits of the window are alike, and those of [ObjectiveValue]; Apart are those of
// [ObjectiveAdaptive] while limits are far apart.
type Rule struct {
	Alike, Apart Exponents
	// Drain is how long nodes may be kept free for the job with the strongest [claim] while limits are alike,
	// in time limits of that job. The nodes then idle for at most Drain times the work that the job brings. 0 keeps none.
	Drain float64 `json:",omitempty"`
}

// String is the rule in a line, as run.json has it: "alike s^1.3 L^-1 wide^4, apart ..., drain 2".
func (r Rule) String() string {
	text := "alike " + r.Alike.String() + ", apart " + r.Apart.String()
	if r.Drain > 0 {
		text += fmt.Sprintf(", drain %g", r.Drain)
	}
	return text
}

// String lists the factors of the formula that are not always 1.
func (e Exponents) String() string {
	limit := "L"
	if e.CommonLimit {
		limit = "L(common)"
	}
	var factors []string
	for _, f := range []struct {
		base     string
		exponent float64
	}{{"s", e.Share}, {limit, -e.Limit}, {"wait", e.Wait}, {"wide", e.Wide}} {
		if f.exponent != 0 {
			factors = append(factors, fmt.Sprintf("%s^%g", f.base, f.exponent))
		}
	}
	return strings.Join(factors, " ")
}

// Exponents of one formula for the value of a job,
//
//	V_j = s_j^Share / L_j^Limit (1 + w_j / L_j)^Wait max(1, 3 s_j)^Wide
//
// s_j is the job's dominant share: the larger one of its part of all cores and its part
// of all GPUs. L_j is its time limit, and w_j how long it has waited.
//
// Under the papers' sum of priorities many small jobs outweigh a large one. So wide jobs are left over for the end,
// where they cannot run side by side. If values were proportional to s_j, two jobs of half the machine would be worth
// as much as one job of the whole. With a Share above 1 the wide job is worth more and goes first, and small jobs
// fill what it leaves, as in bin packing by first fit decreasing. Jobs above a third of the machine count as wide,
// since few of them fit on it at the same time. With Wide they go one after the other, the widest first, so that each
// can take the place of the one before it.
//
// With a Share and a Limit of 1 a job is worth 1 / L_j per part of the machine. So short jobs go first, as in Smith's
// rule for the least mean waiting time. 1 + w_j / L_j is the slowdown that the job has by now if it runs to its
// limit. With it no long job waits without end, and the slowdowns of users come nearer to each other.
type Exponents struct {
	Share, Limit, Wait, Wide float64
	// CommonLimit says that half the mean limit of the window takes the place of L_j in
	// L_j^Limit for wide jobs, as in [FormerRule]: whether these are short does not count.
	CommonLimit bool `json:",omitempty" yaml:"common_limit"`
}

// DefaultRule is the rule of the product. docs/records/006-value-objective and
// docs/records/006-real-queues have the figures that it was chosen by.
func DefaultRule() Rule {
	return Rule{
		Alike: Exponents{Share: 1.3, Limit: 1, Wide: 4},
		Apart: Exponents{Share: 1.2, Limit: 1, Wait: 1, Wide: 4},
		Drain: 2,
	}
}

// FormerRule is an earlier rule, by which runs were made that do not record their rule.
func FormerRule() Rule {
	return Rule{
		Alike: Exponents{Share: 1.5, Limit: 0.4, Wide: 5, CommonLimit: true},
		Apart: Exponents{Share: 1, Limit: 1, Wait: 1, Wide: 3},
	}
}

const (
	// wideShare is the share from which on jobs count as wide.
	wideShare = 1.0 / 3
	// variedLimits is the standard deviation of the logarithms of the time limits above
	// which they count as far apart. The papers' workloads have 0.4 to 0.7, the windows of the
	// real queues that the rule was chosen on 0.9 to 2.4.
	variedLimits = 0.75
)

// Values returns V_j of each job times its Weight, if it has one, scaled so that the
// least is 1.
//
// The order of the queue decides which jobs are in the window, and nothing else. A
// job without a time limit counts like the longest job of the window.
func (e Exponents) Values(s Snapshot) []float64 {
	totals := s.totals()
	limits, mean := s.limits()
	values := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		share, limit := totals.share(j), limits[i]
		if e.CommonLimit && share > wideShare {
			limit = mean / 2
		}
		values[i] = math.Pow(share, e.Share) / math.Pow(limit, e.Limit) * math.Pow(1+j.Waited.Seconds()/limits[i], e.Wait) *
			math.Pow(max(1, share/wideShare), e.Wide)
		if j.Weight > 0 {
			values[i] *= j.Weight
		}
	}
	if len(values) > 0 {
		least := slices.Min(values)
		for i := range values {
			values[i] /= least
		}
	}
	return values
}

// varied reports whether the objective is the adaptive one and the time limits of the
// window are far apart.
func (o Objective) varied(s Snapshot) bool {
	if o != ObjectiveAdaptive || len(s.Jobs) == 0 {
		return false
	}
	limits, _ := s.limits()
	mean, squares := 0.0, 0.0
	for i := range limits {
		limits[i] = math.Log(limits[i])
		mean += limits[i] / float64(len(limits))
	}
	for _, l := range limits {
		squares += (l - mean) * (l - mean) / float64(len(limits))
	}
	return squares > variedLimits*variedLimits
}

// limits returns the time limits in seconds, and their mean.
func (s Snapshot) limits() (limits []float64, mean float64) {
	longest := time.Second
	for _, j := range s.Jobs {
		longest = max(longest, j.TimeLimit)
	}
	limits = make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		limits[i] = longest.Seconds()
		if j.TimeLimit > 0 {
			limits[i] = j.TimeLimit.Seconds()
		}
		mean += limits[i] / float64(len(s.Jobs))
	}
	return limits, mean
}

// totals is what all nodes of a machine have together.
type totals struct {
	cores, gpus float64
	// largest is the number of cores of the largest node.
	largest int
}

func (s Snapshot) totals() totals {
	t := totals{largest: 1}
	for _, n := range s.Nodes {
		t.cores += float64(n.Cores)
		t.gpus += float64(n.GPUs)
		t.largest = max(t.largest, n.Cores)
	}
	return t
}

// of returns the dominant share of some cores and GPUs: the larger one of their part
// of all cores and their part of all GPUs.
func (t totals) of(cores, gpus int) float64 {
	if gpus == 0 || t.gpus == 0 {
		return float64(cores) / t.cores
	}
	return max(float64(cores)/t.cores, float64(gpus)/t.gpus)
}

// share is the dominant share of the job's own request, with the least GPUs of a
// range. A request without a number of nodes counts as on the fewest nodes on which
// it could run.
func (t totals) share(j bidding.Job) float64 {
	nodes := j.Nodes
	if nodes == 0 {
		perNode := t.largest
		if j.CoresPerNode > 0 {
			perNode = j.CoresPerNode
		}
		nodes = (j.Tasks() + perNode - 1) / perNode
	}
	return t.of(j.Tasks(), nodes*j.GPUs)
}

// held is the dominant share of the cores and GPUs that a running job holds.
func (t totals) held(a machine.Allocation) float64 {
	return t.of(a.TotalCores(), len(a.Nodes)*a.GPUs)
}
