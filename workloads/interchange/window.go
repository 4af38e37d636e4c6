package interchange

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Moment is a time of a trace: so long after its first job, or a date in the
// trace's own time. The zero value is that first job.
type Moment struct {
	After time.Duration
	// Date comes before After unless it is zero. It has no time zone: it is compared with
	// the times that the trace has. SWF counts from its UnixStartTime, so its dates are UTC.
	Date time.Time
}

// dateLayouts are the forms of a date.
func dateLayouts() []string { return []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05"} }

// ParseMoment reads a duration such as 36h, or a date such as 2024-03-01 or
// 2024-03-01T12:00:00.
func ParseMoment(text string) (Moment, error) {
	if after, err := time.ParseDuration(text); err == nil {
		return Moment{After: after}, nil
	}
	for _, layout := range dateLayouts() {
		if date, err := time.Parse(layout, text); err == nil {
			return Moment{Date: date}, nil
		}
	}
	return Moment{}, fmt.Errorf("got %s, allowed a time after the trace's first job (36h) or a date (2024-03-01, 2024-03-01T12:00:00)", faults.Quote(text))
}

// String is the text that ParseMoment reads.
func (m Moment) String() string {
	if m.Date.IsZero() {
		return m.After.String()
	}
	return date(float64(m.Date.Unix()))
}

func (m Moment) isZero() bool { return m == Moment{} }

// date is the text of a time in seconds.
func date(unix float64) string { return time.Unix(int64(unix), 0).UTC().Format("2006-01-02T15:04:05") }

// timeSpan is a part of the trace in seconds after its first submission; until is +Inf for
// the end. late is by how much it begins after the moment that was asked for.
type timeSpan struct{ from, until, late float64 }

// window finds the part of the trace that is asked for. A date before the first
// submission means that submission.
func (r Rescale) window(name string, found surveyed) (timeSpan, error) {
	since := func(m Moment) (float64, error) {
		switch {
		case m.Date.IsZero():
			return m.After.Seconds(), nil
		case !found.dated:
			return 0, fmt.Errorf("%s: time window: got the date %s, allowed a time after the first job (36h): the trace does not say when it began", name, m)
		}
		return float64(m.Date.Unix()) - found.epoch - found.first, nil
	}
	w := timeSpan{until: math.Inf(1)}
	var err error
	if w.from, err = since(r.From); err != nil {
		return w, err
	}
	w.late = math.Max(0, -w.from)
	if w.from = math.Max(0, w.from); r.Until.isZero() {
		return w, nil
	}
	if w.until, err = since(r.Until); err != nil {
		return w, err
	}
	if w.until <= w.from {
		return w, fmt.Errorf("%s: time window: got %s to %s, allowed an end after the start and after the first submission%s", name, r.From, r.Until, found.span())
	}
	return w, nil
}

// span says from when to when jobs were submitted, or nothing where that is unknown.
func (s surveyed) span() string {
	if !s.dated || math.IsInf(s.first, 0) {
		return ""
	}
	return ", jobs of the trace are submitted from " + date(s.epoch+s.first) + " to " + date(s.epoch+s.last)
}

// unixStart reads SWF's UnixStartTime, in seconds.
func unixStart(value string) (float64, bool) {
	n, err := strconv.ParseUint(value, 10, 40)
	return float64(n), err == nil && n > 0
}
