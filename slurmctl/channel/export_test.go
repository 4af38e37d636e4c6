package channel

import "time"

// SetTimeout changes how long an answer may take, between two questions: a helper starts in its own time, and one answer
// is to be late for sure.
func (h *Helper) SetTimeout(d time.Duration) { h.timeout = d }
