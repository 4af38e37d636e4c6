package packing

// lanes has what is left of the constraints of a model, or what a column takes of them, as numbers of 16 bits. There
// are four in a word, so that four constraints are compared at once. A constraint of a larger bound, such as memory
// in MiB, is counted in larger units, and what a column takes of it is rounded up. What fits here fits in the model.
type lanes struct {
	// of are the spans of the columns, those of column i from start[i] up to start[i+1].
	start []int32
	of    []span
	// bound are the bounds of all rows.
	bound []uint64
	// unit is what 1 stands for in each row.
	unit []int32
}

// span is the same word of a column at neighbouring indices, from first up to end.
type span struct {
	first, end int32
	word       uint64
}

const (
	laneBits = 16
	perWord  = 64 / laneBits
	// The first bit of each lane is free: what lies in it after it was set and another
	// number was taken away is that no lane went below 0.
	laneLimit = 1<<(laneBits-1) - 1
	ones      = 0x0001_0001_0001_0001
	guards    = ones << (laneBits - 1)
)

// newLanes returns the lanes of a model, with spans of the given columns, which fit.
func newLanes(m *model, columns []int32) *lanes {
	l := &lanes{start: make([]int32, m.columns()+1), bound: make([]uint64, (m.rows()+perWord-1)/perWord), unit: make([]int32, m.rows())}
	for r, b := range m.bound {
		l.unit[r] = b/(laneLimit+1) + 1
		l.bound[r/perWord] |= uint64(b/l.unit[r]) << (r % perWord * laneBits)
	}
	next := 0
	for i := range int32(m.columns()) {
		l.start[i] = int32(len(l.of))
		if next < len(columns) && columns[next] == i {
			next++
			for _, run := range m.stretches.vector(i) {
				l.append(run)
			}
		}
	}
	l.start[m.columns()] = int32(len(l.of))
	return l
}

// append adds the spans of a stretch. Where it shares a word with the stretch before, that
// word has two spans.
func (l *lanes) append(run stretch) {
	for r := run.first; r < run.end; {
		at := r / perWord
		word := uint64(0)
		for ; r < run.end && r/perWord == at; r++ {
			// A column that takes more units than the row has takes the whole row.
			lane := r % perWord * laneBits
			amount := run.amount
			if unit := l.unit[r]; unit > 1 {
				amount = min((amount+unit-1)/unit, l.lane(l.bound, r))
			}
			word |= uint64(amount) << lane
		}
		if n := len(l.of) - 1; n >= 0 && r-run.first > perWord && l.of[n].word == word && l.of[n].end == at {
			l.of[n].end++
			continue
		}
		l.of = append(l.of, span{at, at + 1, word})
	}
}

func (l *lanes) spans(i int32) []span { return l.of[l.start[i]:l.start[i+1]] }

// fits reports whether a column takes no more than there is left.
func fits(spans []span, left []uint64) bool {
	for _, s := range spans {
		for _, w := range left[s.first:s.end] {
			if ((w|guards)-s.word)&guards != guards {
				return false
			}
		}
	}
	return true
}

// take lowers what is left by what a column takes.
func take(spans []span, left []uint64) {
	for _, s := range spans {
		part := left[s.first:s.end]
		for k := range part {
			part[k] -= s.word
		}
	}
}

// lane is the number of a row.
func (l *lanes) lane(words []uint64, r int32) int32 {
	return int32(words[r/perWord] >> (r % perWord * laneBits) & laneLimit)
}
