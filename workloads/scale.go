package workloads

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// drawCount draws the spec's number of jobs, whose run times are scaled to
// the theoretical runtime, if the spec has one.
func (s Spec) drawCount(shapes [][]shape, m Machine, seed uint64) ([]draft, error) {
	draw := newStream(seed, jobStream)
	drafts := make([]draft, s.Jobs)
	for i := range drafts {
		drafts[i] = s.draw(draw, shapes)
	}
	if s.EstimatedRuntime.Duration == 0 {
		return drafts, nil
	}
	shortest, longest := s.Runtime.seconds()
	return scaleRuntimes(drafts, s.work(m), shortest, longest, m.AllCores())
}

// scaleRuntimes multiplies all run times by one factor, within the shortest and the longest. The drafts' work comes
// as near as it can to the requested core-seconds without exceeding it, while sizes and the order of run times stay.
// The papers give a number of jobs and a mean theoretical runtime. With the number fixed, the theoretical runtime
// of a draw of 350 jobs misses the mean by some percent.
func scaleRuntimes(drafts []draft, asked int64, shortest, longest, allCores int) ([]draft, error) {
	at := func(factor int) (out []draft, work int64) {
		out = make([]draft, len(drafts))
		for i, d := range drafts {
			d.runtime = max(shortest, min(longest, (d.runtime*factor+million/2)/million))
			out[i] = d
			work += d.work()
		}
		return out, work
	}
	// With this factor even a job of the shortest run time gets the longest one, so a
	// larger factor changes nothing.
	most := (longest/shortest + 1) * million
	_, least := at(0)
	full, largest := at(most)
	if asked < least || asked > largest {
		second := func(work int64) time.Duration {
			return time.Duration(math.Round(float64(work)/float64(allCores))) * time.Second
		}
		return nil, fmt.Errorf("theoretical_runtime: got %s, allowed %s..%s for these %d jobs (change jobs, max_cores or runtime)",
			second(asked), second(least), second(largest), len(drafts))
	}
	above := sort.Search(most+1, func(factor int) bool { _, work := at(factor); return work > asked })
	if above > most {
		return full, nil
	}
	out, _ := at(above - 1)
	return out, nil
}
