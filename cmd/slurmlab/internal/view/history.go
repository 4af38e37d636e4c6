package view

import (
	"sort"
	"time"

	"github.com/slurmlab/slurmlab/emulator/watch"
)

// mostLooks is how many looks a History keeps. Beyond it, it keeps every other one: of a
// long run the looks are further apart.
const mostLooks = 200

// sameTime is the virtual time by which looks may differ that are of the same time: Slurm takes
// a while to answer.
const sameTime = 2 * time.Second

// History is the looks at one cluster, in the order of time.
type History struct {
	// began is the virtual time from which the times of the cluster count, zero while it is
	// not known.
	began time.Time
	looks []watch.Look
	// Of each block of so many looks one is kept, a shared instant's if it has any. since counts the looks of the
	// last block, which begins at looks[block] and has two looks there: the one to keep, and the newest.
	every, since, block int
	// remark says of what the newest look is, if not of the time that was asked for.
	remark string
}

// Add adds a look.
func (h *History) Add(l watch.Look) {
	if len(h.looks) == h.block+2 {
		h.looks[h.block] = h.rounder(h.looks[h.block], h.looks[h.block+1])
		h.looks = h.looks[:h.block+1]
	}
	if h.since == 0 {
		h.block = len(h.looks)
	}
	h.looks = append(h.looks, l)
	h.since = (h.since + 1) % max(1, h.every)
	if len(h.looks) <= mostLooks {
		return
	}
	// The first one stays, and the newest.
	half := h.looks[:1]
	for i := 1; i < len(h.looks); i += 2 {
		if i+2 < len(h.looks) {
			half = append(half, h.rounder(h.looks[i], h.looks[i+1]))
		} else {
			half = append(half, h.looks[len(h.looks)-1])
		}
	}
	clear(h.looks[len(half):])
	h.looks, h.every, h.since, h.block = half, 2*max(1, h.every), 0, len(half)
}

// rounder is the one of two looks that more other runs have of the same time, the first one if
// there is no difference.
func (h *History) rounder(a, b watch.Look) watch.Look {
	if b.Roundness(h.Began()) > a.Roundness(h.Began()) {
		return b
	}
	return a
}

// Begin sets the virtual time from which the times of the cluster count.
func (h *History) Begin(at time.Time) { h.began = at }

// Started says that this time is known.
func (h *History) Started() bool { return !h.began.IsZero() }

// Began is that time, or the time of the first look, zero if there is none.
func (h *History) Began() time.Time {
	if h.began.IsZero() && len(h.looks) > 0 {
		return h.looks[0].Now.Virtual
	}
	return h.began
}

// Last is the newest look, nil if there is none.
func (h *History) Last() *watch.Look {
	if len(h.looks) == 0 {
		return nil
	}
	return &h.looks[len(h.looks)-1]
}

// Past is the virtual time from the beginning to the newest look.
func (h *History) Past() time.Duration {
	if l := h.Last(); l != nil {
		return l.Now.Virtual.Sub(h.Began())
	}
	return 0
}

// nearest is the index of the look that is nearest to a virtual time after the beginning, and by
// how much it is off. There must be a look.
func (h *History) nearest(past time.Duration) (at int, off time.Duration) {
	end := h.Began().Add(past)
	distance := func(i int) time.Duration { return h.looks[i].Now.Virtual.Sub(end).Abs() }
	at = min(sort.Search(len(h.looks), func(i int) bool { return !h.looks[i].Now.Virtual.Before(end) }), len(h.looks)-1)
	if at > 0 && distance(at-1) < distance(at) {
		at--
	}
	return at, distance(at)
}

// At is the history at a virtual time after its beginning: its newest look is the one that is
// nearest. If that is of another time, the picture says so.
func (h *History) At(past time.Duration) *History {
	cut := *h
	if len(h.looks) == 0 {
		return &cut
	}
	at, off := h.nearest(past)
	cut.looks = h.looks[:at+1]
	switch {
	case off <= sameTime:
	case at == len(h.looks)-1 && h.Past() < past:
		cut.remark = "the last look"
	default:
		cut.remark = "the look nearest to +" + watch.Span(past)
	}
	return &cut
}

// Speed is the virtual seconds in a real one between the last two looks, 0 while it is not
// known.
func (h *History) Speed() float64 {
	n := len(h.looks)
	if n < 2 {
		return 0
	}
	a, b := h.looks[n-2].Now, h.looks[n-1].Now
	if real := b.Real.Sub(a.Real); real > 0 {
		return max(0, b.Virtual.Sub(a.Virtual).Seconds()/real.Seconds())
	}
	return 0
}

// curve is a value of the looks at up to n instants that are equally far apart in virtual
// time, the last one now.
func (h *History) curve(n int, value func(*watch.Look) float64) []float64 {
	n = min(n, len(h.looks))
	points := make([]float64, n)
	if n == 0 {
		return points
	}
	first := h.looks[0].Now.Virtual
	span := h.Last().Now.Virtual.Sub(first)
	at := 0
	for i := range points {
		end := first.Add(time.Duration(float64(span) * float64(i+1) / float64(n)))
		if i == n-1 {
			end = h.Last().Now.Virtual
		}
		for at+1 < len(h.looks) && !h.looks[at+1].Now.Virtual.After(end) {
			at++
		}
		points[i] = value(&h.looks[at])
	}
	return points
}

// Len is the number of looks that are kept.
func (h *History) Len() int { return len(h.looks) }
