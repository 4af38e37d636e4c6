package packing

// budget is the work that a loop may still do, in steps of the loop's own kind.
type budget struct {
	left int
	stop func() bool
	// unasked is the work done since stop was asked last.
	unasked int
}

// askAfter is the work after which a budget asks stop again. Asking reads a
// clock, which takes as long as some ten steps.
const askAfter = 1 << 16

// spend takes work from the budget and reports whether the loop may do it. A loop
// may not do what is more than the budget has left, though another loop may still
// do less, and nothing once stop has said so.
func (b *budget) spend(work int) bool {
	if b.unasked += work; b.unasked >= askAfter {
		b.unasked = 0
		if b.stop() {
			b.left = 0
		}
	}
	if work > b.left {
		return false
	}
	b.left -= work
	return true
}
