package agent

import "slices"

// Priorities of Slurm that the agent gives out: whole numbers, of which 0 is a hold. INFINITE and NO_VAL of slurm.h are 2^32 - 1 and
// 2^32 - 2. The first jobs begin in the middle, spaced, so that later ones find room between them.
const (
	highestPriority = 1<<32 - 3
	middlePriority  = 1 << 31
	prioritySpace   = 1 << 12
)

// ranked returns priorities that fall from each job to the next. had are the present ones in the same order, 0 for none. As few
// jobs as possible get another one, since each change is a command.
//
// The jobs that keep theirs are a longest part of the list in which priorities fall by at least as much as there are places
// between (patience sorting). The others are spread evenly over the room that is left for them.
func ranked(had []int) []int {
	n := len(had)
	// tails[k] is the last job of the best list of k+1 jobs, before its predecessor in that list.
	tails, before := []int{}, make([]int, n)
	key := func(i int) int { return had[i] + i }
	for i, p := range had {
		// There must be room above for the i jobs in front, and below for those behind.
		if p <= 0 || p+i > highestPriority || p < n-i {
			continue
		}
		at, _ := slices.BinarySearchFunc(tails, i, func(tail, i int) int {
			if key(tail) >= key(i) {
				return -1
			}
			return 1
		})
		before[i] = -1
		if at > 0 {
			before[i] = tails[at-1]
		}
		tails = append(tails[:at], append([]int{i}, tails[min(at+1, len(tails)):]...)...)
	}
	ranks := make([]int, n)
	if len(tails) == 0 {
		for i := range ranks {
			ranks[i] = middlePriority - i*min(prioritySpace, middlePriority/(n+1))
		}
		return ranks
	}
	for i := tails[len(tails)-1]; i >= 0; i = before[i] {
		ranks[i] = had[i]
	}
	spread(ranks)
	return ranks
}

// spread fills in the ranks that are 0, of which there is at least one that is not.
func spread(ranks []int) {
	n := len(ranks)
	first := slices.IndexFunc(ranks, func(r int) bool { return r > 0 })
	step := min(prioritySpace, (highestPriority-ranks[first])/max(first, 1))
	for i := range first {
		ranks[i] = ranks[first] + (first-i)*step
	}
	for last := first; last < n-1; {
		next := last + 1
		for next < n && ranks[next] == 0 {
			next++
		}
		step := 0
		if next < n {
			step = (ranks[last] - ranks[next]) / (next - last)
		} else {
			step = min(prioritySpace, ranks[last]/(n-last))
		}
		for i := last + 1; i < next; i++ {
			ranks[i] = ranks[last] - (i-last)*step
		}
		last = min(next, n-1)
	}
}
