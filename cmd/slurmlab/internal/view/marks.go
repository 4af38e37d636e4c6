package view

import (
	"math"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/slurmlab/slurmlab/emulator/watch"
)

// The marks of a share in use: none, eighths, and a part of the machine that takes no job.
const (
	markNone = '·'
	markOut  = '×'
)

var marks = []rune("▁▂▃▄▅▆▇█")

// mark is the sign for a share from 0 to 1, the lowest eighth for all that is not nothing
// and the full one only for all. A negative share is out of service.
func mark(share float64) rune {
	switch {
	case share < 0:
		return markOut
	case share == 0:
		return markNone
	case share >= 1:
		return marks[len(marks)-1]
	default:
		return marks[int(share*float64(len(marks)-1))]
	}
}

// heat are the colours of shares, from little to all: the 256 colours that every terminal
// with colours has.
var heat = []string{"33", "37", "71", "178", "208", "196"}

func tone(share float64) lipgloss.Style {
	s := lipgloss.NewStyle()
	switch {
	case share < 0:
		return s.Foreground(lipgloss.Color("5"))
	case share == 0:
		return s.Faint(true)
	default:
		return s.Foreground(lipgloss.Color(heat[min(len(heat)-1, int(share*float64(len(heat)-1)))]))
	}
}

// paint draws shares as coloured marks.
func paint(shares []float64) string {
	var out strings.Builder
	for i := 0; i < len(shares); {
		// Neighbours of one colour are written at once.
		style, next := tone(shares[i]), i
		var text strings.Builder
		for next < len(shares) && tone(shares[next]).GetForeground() == style.GetForeground() && (shares[next] == 0) == (shares[i] == 0) {
			text.WriteRune(mark(shares[next]))
			next++
		}
		out.WriteString(style.Render(text.String()))
		i = next
	}
	return out.String()
}

// spark draws a curve whose highest value is top; a top of 0 stands for the highest of
// the curve.
func spark(values []float64, top float64) string {
	for _, v := range values {
		if top == 0 || v > top {
			top = max(v, top)
		}
	}
	var out strings.Builder
	for _, v := range values {
		if top <= 0 {
			out.WriteRune(mark(0))
			continue
		}
		out.WriteRune(mark(v / top))
	}
	return out.String()
}

// strip is the share in use of each of so many parts of the machine at most, and how many nodes a part has. All parts
// but the last have equally many nodes. A part without a node in service is -1.
func strip(nodes []watch.Nodes, most int, of func(watch.Nodes) (used, all int)) (shares []float64, per int) {
	size := 0
	for _, n := range nodes {
		size += n.Count
	}
	if size == 0 || most <= 0 {
		return nil, 0
	}
	per = int(math.Ceil(float64(size) / float64(most)))
	used, all, serving, filled := 0, 0, 0, 0
	end := func() {
		share := -1.0
		if serving > 0 {
			share = watch.Use{Used: used, All: all}.Share()
		}
		shares = append(shares, share)
		used, all, serving, filled = 0, 0, 0, 0
	}
	for _, n := range nodes {
		u, a := of(n)
		for left := n.Count; left > 0; {
			take := min(left, per-filled)
			used, all, filled, left = used+take*u, all+take*a, filled+take, left-take
			if !n.Out || u > 0 {
				serving += take
			}
			if filled == per {
				end()
			}
		}
	}
	if filled > 0 {
		end()
	}
	return shares, per
}
