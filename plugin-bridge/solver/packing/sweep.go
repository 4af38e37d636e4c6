package packing

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// sweep is a search of a beam.
type sweep struct {
	*beam
	course
	// order are the columns of the beam, the columns of a block by falling reduced value.
	order []int32
	// gain and loss are what the bound of a state without a column of the same group
	// changes by with and without each column of the order.
	gain, loss []float64
	states     []state
	// rooms has, for each slot that a state may have, stride words: what is left of the constraints in lanes, and a
	// bit for each group that has a selected column. idle are slots that no state has.
	rooms  []uint64
	stride int
	idle   []int32
	// least and most are the least and the largest bound of the states if ranged.
	least, most float64
	ranged      bool
	successors  []successor
	// table and bounds are scratch space for distinct and cut.
	table  []int32
	bounds []float64
	// history are the choices of all states, and best is the last one of the best
	// selection, which is worth value.
	history []choice
	best    int32
	value   float64
	work    int
}

// state is a selection among the columns so far.
type state struct {
	value, bound float64
	// profile is the sum of marks of what is taken in rows that are not over.
	profile uint64
	// room is the slot in rooms, and last the index in the history of the column
	// selected last.
	room, last int32
}

// choice is a selected column and the index in the history of the choice before it.
type choice struct{ column, before int32 }

// successor is what a state may become: the same or, if takes, one with the next column.
type successor struct {
	from    int32
	takes   bool
	out     bool
	bound   float64
	profile uint64
}

// sweep returns a search with its first state, which has no column.
func (b *beam) sweep(by course) *sweep {
	m := b.m
	s := &sweep{beam: b, course: by, order: slices.Clone(b.order), best: nowhere}
	reduced := make([]float64, m.columns())
	m.stretches.times(b.lambda, make([]float64, m.rows()+1), reduced)
	random := rand.New(rand.NewPCG(by.seed, 0))
	for i, v := range m.value {
		reduced[i] = v*(1+by.noise*(2*random.Float64()-1)) - by.markup*reduced[i]
	}
	for k, end := range b.ends {
		slices.SortStableFunc(s.order[b.begin(k):end], func(i, j int32) int { return cmp.Compare(reduced[j], reduced[i]) })
	}
	// From the end: most is the largest reduced value of each group from there on.
	most := make([]float64, len(m.members))
	s.gain, s.loss = make([]float64, len(s.order)), make([]float64, len(s.order))
	for at, i := range slices.Backward(s.order) {
		g := m.group[i]
		after := most[g]
		most[g] = max(after, reduced[i])
		s.gain[at], s.loss[at] = reduced[i]-most[g], after-most[g]
	}
	s.stride = len(b.lanes.bound) + (len(m.members)+63)/64
	s.rooms = append(make([]uint64, 0, 2*by.width*s.stride), b.lanes.bound...)
	s.rooms = s.rooms[:s.stride]
	first := state{last: nowhere}
	for _, rows := range b.over {
		for _, r := range rows {
			first.bound += by.markup * b.lambda[r] * float64(b.lanes.unit[r]*b.lanes.lane(b.lanes.bound, r))
		}
	}
	for _, v := range most {
		first.bound += v
	}
	s.states = append(s.states, first)
	size := 1
	for size < 4*by.width {
		size *= 2
	}
	s.table = make([]int32, size)
	return s
}

// extend lets each state go on with and without a column.
func (s *sweep) extend(at int) {
	i := s.order[at]
	word, bit := s.groupBit(i)
	if loss := s.loss[at]; loss < 0 {
		s.work += len(s.states)
		for k := range s.states {
			if state := &s.states[k]; s.room(state.room)[word]&bit == 0 {
				state.bound += loss
			}
		}
		s.ranged = false
	}
	// A successor no better than the last of all states would be cut.
	change := s.gain[at] - s.loss[at]
	full := len(s.states) >= s.width
	if full {
		s.span()
		if s.most+change <= s.least {
			return
		}
	}
	s.successors = s.successors[:0]
	spans := s.lanes.spans(i)
	var taken uint64
	for _, part := range spans {
		taken += part.word * (s.marks[part.end] - s.marks[part.first])
	}
	s.work += len(s.states)
	for from := range s.states {
		state := &s.states[from]
		bound := state.bound + change
		if full && bound <= s.least {
			continue
		}
		room := s.room(state.room)
		if room[word]&bit != 0 {
			continue
		}
		s.work += s.lengths[i]
		if fits(spans, room) {
			s.successors = append(s.successors, successor{from: int32(from), takes: true, bound: bound, profile: state.profile + taken})
		}
	}
	if len(s.successors) == 0 {
		return
	}
	for from := range s.states {
		state := &s.states[from]
		s.successors = append(s.successors, successor{from: int32(from), bound: state.bound, profile: state.profile})
	}
	s.distinct()
	s.cut()
	s.proceed(i)
	s.ranged = false
}

// span finds the least and the largest bound of the states, unless they are known.
func (s *sweep) span() {
	if s.ranged {
		return
	}
	s.ranged, s.least, s.most = true, s.states[0].bound, s.states[0].bound
	for k := range s.states {
		s.least, s.most = min(s.least, s.states[k].bound), max(s.most, s.states[k].bound)
	}
}

// room returns what is left of the constraints in a slot, and the bits of the groups.
func (s *sweep) room(slot int32) []uint64 {
	return s.rooms[int(slot)*s.stride : (int(slot)+1)*s.stride]
}

// groupBit is where a room has the bit of the group of column i.
func (s *sweep) groupBit(i int32) (word int, bit uint64) {
	g := s.m.group[i]
	return len(s.lanes.bound) + int(g/64), 1 << (g % 64)
}

// distinct leaves, of the successors that leave the same room, the one of largest bound: they
// differ only in jobs that have won.
func (s *sweep) distinct() {
	for len(s.table) < 2*len(s.successors) {
		s.table = make([]int32, 2*len(s.table))
	}
	clear(s.table)
	last := uint64(len(s.table) - 1)
	for k := range s.successors {
		o := &s.successors[k]
		at := o.profile & last
		for s.table[at] != 0 && s.successors[s.table[at]-1].profile != o.profile {
			at = (at + 1) & last
		}
		if s.table[at] == 0 {
			s.table[at] = int32(k) + 1
			continue
		}
		if other := &s.successors[s.table[at]-1]; other.bound >= o.bound {
			o.out = true
		} else {
			other.out = true
			s.table[at] = int32(k) + 1
		}
	}
}

// cut leaves the width successors of largest bound.
func (s *sweep) cut() {
	s.bounds = s.bounds[:0]
	for _, o := range s.successors {
		if !o.out {
			s.bounds = append(s.bounds, o.bound)
		}
	}
	if len(s.bounds) <= s.width {
		return
	}
	least := largest(s.bounds, s.width)
	seats := s.width
	for _, o := range s.successors {
		if !o.out && o.bound > least {
			seats--
		}
	}
	for k := range s.successors {
		switch o := &s.successors[k]; {
		case o.out || o.bound > least:
		case o.bound == least && seats > 0:
			seats--
		default:
			o.out = true
		}
	}
}

// proceed makes the successors that are left the states. i is the column of those that take one.
func (s *sweep) proceed(i int32) {
	word, bit := s.groupBit(i)
	old := len(s.states)
	for k := range s.successors {
		o := &s.successors[k]
		if o.out || !o.takes {
			continue
		}
		from := s.states[o.from]
		room := s.copy(from.room)
		take(s.lanes.spans(i), s.room(room))
		s.room(room)[word] |= bit
		s.work += s.lengths[i]
		to := state{value: from.value + s.m.value[i], bound: o.bound, profile: o.profile, room: room, last: int32(len(s.history))}
		s.history = append(s.history, choice{i, from.last})
		if to.value > s.value {
			s.value, s.best = to.value, to.last
		}
		s.states = append(s.states, to)
	}
	// The successors of the old states without the column are the last ones, in their order.
	stay := s.successors[len(s.successors)-old:]
	at := 0
	for k := range s.states {
		if k < old && stay[k].out {
			s.idle = append(s.idle, s.states[k].room)
			continue
		}
		s.states[at] = s.states[k]
		at++
	}
	s.states = s.states[:at]
}

// copy returns the place of a copy of a room.
func (s *sweep) copy(from int32) int32 {
	s.work += s.m.rows() / copied
	if n := len(s.idle); n > 0 {
		to := s.idle[n-1]
		s.idle = s.idle[:n-1]
		copy(s.room(to), s.room(from))
		return to
	}
	s.rooms = append(s.rooms, s.room(from)...)
	return int32(len(s.rooms)/s.stride - 1)
}

// copied rows take as long as one that is looked at.
const copied = 8

// lose takes from the bounds what room is left in rows that are over.
func (s *sweep) lose(rows []int32) {
	s.work += len(rows) * len(s.states)
	s.ranged = false
	for k := range s.states {
		state := &s.states[k]
		room := s.room(state.room)
		for _, r := range rows {
			left := s.lanes.lane(room, r)
			state.bound -= s.markup * s.lambda[r] * float64(s.lanes.unit[r]*left)
			taken := uint64(s.lanes.lane(s.lanes.bound, r) - left)
			state.profile -= s.mark[r/perWord] * (taken << (r % perWord * laneBits))
		}
	}
}

func (s *sweep) selected() []int32 {
	var selected []int32
	for at := s.best; at != nowhere; at = s.history[at].before {
		selected = append(selected, s.history[at].column)
	}
	slices.Sort(selected)
	return selected
}

// largest returns the k-th largest value, k from 1 on, and reorders the values.
func largest(values []float64, k int) float64 {
	low, high := 0, len(values)-1
	for at := k - 1; low < high; {
		pivot := values[(low+high)/2]
		i, j := low, high
		for i <= j {
			for values[i] > pivot {
				i++
			}
			for values[j] < pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case at <= j:
			high = j
		case at >= i:
			low = i
		default:
			return values[at]
		}
	}
	return values[low]
}
