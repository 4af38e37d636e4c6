package check

import (
	"math/rand/v2"
	"slices"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// valuePair is two values of different columns.
type valuePair struct {
	columns [2]int
	values  [2]string
}

func pairs(c Cell) []valuePair {
	values := c.values()
	var out []valuePair
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			out = append(out, valuePair{[2]int{i, j}, [2]string{values[i], values[j]}})
		}
	}
	return out
}

// Cover chooses cells until each pair of values that some cell has is in a chosen one. It takes the cell that covers
// the most pairs so far uncovered (greedy, as AETG by Cohen, Dalal, Fredman and Patton, 1997). Of equals it takes the
// cheapest, and among these the one that the seed prefers.
func Cover(cells []Cell, seed uint64) []Cell {
	cells = slices.Clone(cells)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	open := map[valuePair]bool{}
	of := make([][]valuePair, len(cells))
	for i, c := range cells {
		of[i] = pairs(c)
		for _, p := range of[i] {
			open[p] = true
		}
	}
	var chosen []Cell
	for len(open) > 0 {
		best, most := -1, 0
		for i := range cells {
			of[i] = slices.DeleteFunc(of[i], func(p valuePair) bool { return !open[p] })
			if n := len(of[i]); n > most || n == most && n > 0 && cost(cells[i]) < cost(cells[best]) {
				best, most = i, n
			}
		}
		for _, p := range of[best] {
			delete(open, p)
		}
		chosen = append(chosen, cells[best])
	}
	return chosen
}

// Quick orders cells by the real time that they take, and leaves those of equal cost as
// they are.
func Quick(cells []Cell) {
	slices.SortStableFunc(cells, func(a, b Cell) int { return cost(a) - cost(b) })
}

// cost is the real time that a cell takes, by rank. A run whose victim stays stopped ends by a limit of a minute, and
// clusters of external nodes are the quick ones.
func cost(c Cell) int {
	sum := 0
	if c.Action == Stop {
		sum += 10
	}
	if c.form() != backend.External {
		sum++
	}
	return sum
}
