package bidding

// Choice is one exact request of a job: one of its alternatives with a number of
// GPUs in place of a range.
type Choice struct {
	Job
	// Alternative is the Bid.Alternative of bids for this choice.
	Alternative int
}

// Choices returns the requests of which the job gets one, the most wanted first. Each asks for an exact number of
// GPUs. A job with a range "may vary in the number of GPUs requested" from bid to bid (AUCSCHED2 section 3), and all
// nodes of a bid give the same number.
func (j Job) Choices() []Choice {
	var all []Choice
	for i := range len(j.Alternatives) + 1 {
		request := j.With(i)
		for gpus := max(request.GPUs, request.MaxGPUs); gpus >= request.GPUs; gpus-- {
			c := Choice{request, i}
			c.GPUs, c.MaxGPUs = gpus, 0
			all = append(all, c)
		}
	}
	return all
}

// inTurns merges lists by taking one element from each in turn.
func inTurns[T any](lists [][]T) []T {
	var merged []T
	for round := 0; ; round++ {
		more := false
		for _, list := range lists {
			if round < len(list) {
				more = true
				merged = append(merged, list[round])
			}
		}
		if !more {
			return merged
		}
	}
}
