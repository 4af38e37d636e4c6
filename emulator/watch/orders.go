package watch

import (
	"strings"
	"time"
)

// Orders that "slurmlabd watch" takes on its standard input, one a line: the jump clock is
// held at the speed of real time, or skips what is idle. A pause is a hold that ends with the
// watcher at the latest, and is none where the clock is held already.
const (
	OrderHold   = "hold"
	OrderGo     = "go"
	OrderPause  = "pause"
	OrderResume = "resume"
)

const orderFrom = "from "

// OrderFrom is the order to take looks at shared instants too, see Shared, in a run that began
// at a virtual time.
func OrderFrom(began time.Time) string { return orderFrom + began.Format(time.RFC3339Nano) }

// Began is the time in an OrderFrom; ok is false for other orders.
func Began(order string) (began time.Time, ok bool) {
	text, ok := strings.CutPrefix(order, orderFrom)
	if !ok {
		return time.Time{}, false
	}
	began, err := time.Parse(time.RFC3339Nano, text)
	return began, err == nil
}
