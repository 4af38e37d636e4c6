package benchmark

import (
	"context"
	"time"
)

// tellTries is how often, with Poll between, a job that has ended is looked for in Changes: its connection closes before
// the scheduler knows of the end, but may be noticed after.
const tellTries = 20

// exactly places the times of a job that has ended inside the scheduler's whole seconds. Otherwise a job of 0.9 s that ends
// in the second of its start has taken no time, and no slowdown can be compared with it.
//
//	[Submit, +1 s] <- when the benchmark submitted it
//	[Start, +1 s]  <- when it began to compute
//	[End, +1 s]    <- when it ceased to compute
//
// No time leaves its second, and a job that computed has taken longer than 0.
func (s *session) exactly(ctx context.Context, id string, j Status) (Status, error) {
	if !s.WholeSeconds {
		return j, nil
	}
	j.Submit = s.submission(id, j)
	first, last, over := s.computed(id, j.Start)
	for try := 0; !over && try < tellTries; try++ {
		if err := s.Clock.Sleep(ctx, s.Poll); err != nil {
			return j, err
		}
		first, last, over = s.computed(id, j.Start)
	}
	j.Start, j.End = inSecond(j.Start, first), inSecond(j.End, last)
	return j, nil
}

// submission is when a job was submitted.
func (s *session) submission(id string, j Status) time.Time {
	if !s.WholeSeconds {
		return j.Submit
	}
	return inSecond(j.Submit, s.submitted[id])
}

// computed returns when a job computed first and last since its start, zero if it never did, and whether it has ceased to.
func (s *session) computed(id string, start time.Time) (first, last time.Time, over bool) {
	s.collect()
	for _, c := range s.changes {
		if c.ID != id || c.At.Before(start) {
			continue
		}
		if first.IsZero() {
			first = c.At
		}
		last, over = c.At, c.Cores == 0
	}
	return first, last, over
}

// collect keeps what Changes has to say.
func (s *session) collect() {
	if s.Changes != nil {
		s.changes = append(s.changes, s.Changes()...)
	}
}

// inSecond is the moment of the second that is nearest to at.
func inSecond(second, at time.Time) time.Time {
	switch end := second.Add(time.Second); {
	case at.Before(second):
		return second
	case at.After(end):
		return end
	default:
		return at
	}
}
