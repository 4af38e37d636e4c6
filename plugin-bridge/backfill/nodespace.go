package backfill

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"time"
)

// nodeSpace is the node_space of backfill.c. It divides the time from now on into slots and says of each slot which
// nodes no reservation holds. A slot lasts until the next one begins; the last slot has no end.
type nodeSpace []slot

type slot struct {
	begin time.Duration
	open  nodeMask
}

// slot is the index of the slot that t lies in.
func (s nodeSpace) slot(t time.Duration) int {
	return sort.Search(len(s), func(i int) bool { return s[i].begin > t }) - 1
}

// next is when the first slot after t begins, never if there is none.
func (s nodeSpace) next(t time.Duration) time.Duration {
	if at := s.slot(t); at+1 < len(s) {
		return s[at+1].begin
	}
	return never
}

// open returns the nodes that nothing reserves between two times.
func (s nodeSpace) open(begin, end time.Duration) nodeMask {
	at := s.slot(begin)
	open := slices.Clone(s[at].open)
	for _, later := range s[at+1:] {
		if later.begin > end {
			break
		}
		for w := range open {
			open[w] &= later.open[w]
		}
	}
	return open
}

func (s nodeSpace) overlaps(nodes []int, begin, end time.Duration) bool {
	open := s.open(begin, end)
	return slices.ContainsFunc(nodes, func(n int) bool { return !open.has(n) })
}

// reserve closes the nodes from begin to end.
func (s *nodeSpace) reserve(begin, end time.Duration, nodes []int) {
	first, last := s.split(begin), len(*s)
	if end < never {
		last = s.split(end)
	}
	for _, closed := range (*s)[first:last] {
		for _, n := range nodes {
			closed.open[n/64] &^= 1 << (n % 64)
		}
	}
}

// split makes a slot begin at t, or at the first slot's begin if t is before it,
// and returns its index.
func (s *nodeSpace) split(t time.Duration) int {
	at, known := slices.BinarySearchFunc(*s, t, func(s slot, t time.Duration) int { return cmp.Compare(s.begin, t) })
	if !known && at > 0 {
		*s = slices.Insert(*s, at, slot{t, slices.Clone((*s)[at-1].open)})
	}
	return at
}

// nodeMask is a set of nodes by index.
type nodeMask []uint64

func allNodes(n int) nodeMask {
	m := make(nodeMask, (n+63)/64)
	for i := range n {
		m[i/64] |= 1 << (i % 64)
	}
	return m
}

func (m nodeMask) count() int {
	n := 0
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

func (m nodeMask) has(n int) bool { return m[n/64]>>(n%64)&1 == 1 }
