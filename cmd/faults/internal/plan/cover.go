package plan

import "math/rand/v2"

// pair is two values of different columns.
type pair struct {
	columns [2]int
	values  [2]string
}

func pairs(c Cell) []pair {
	values := c.values()
	var out []pair
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			out = append(out, pair{[2]int{i, j}, [2]string{values[i], values[j]}})
		}
	}
	return out
}

// Cover chooses cells until each pair of values that some cell has is in a chosen one.
// It takes the cell that covers the most pairs so far uncovered (greedy, as AETG by
// Cohen, Dalal, Fredman and Patton, 1997), the cheapest of equals, and among these the
// one that the seed prefers.
func Cover(cells []Cell, seed uint64) []Cell {
	cells = append([]Cell(nil), cells...)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	open := map[pair]bool{}
	for _, c := range cells {
		for _, p := range pairs(c) {
			open[p] = true
		}
	}
	var chosen []Cell
	for len(open) > 0 {
		best, most := Cell{}, 0
		for _, c := range cells {
			n := 0
			for _, p := range pairs(c) {
				if open[p] {
					n++
				}
			}
			if n > most || n == most && n > 0 && cost(c) < cost(best) {
				best, most = c, n
			}
		}
		for _, p := range pairs(best) {
			delete(open, p)
		}
		chosen = append(chosen, best)
	}
	return chosen
}

// cost orders cells by the real time that they take: a run whose victim stays stopped
// ends by a limit of a minute, and clusters of external nodes are the quick ones.
func cost(c Cell) int {
	sum := 0
	if c.Action == Stop {
		sum += 10
	}
	if c.Slurm == FrontEnd {
		sum++
	}
	return sum
}
