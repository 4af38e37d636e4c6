package backendtest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Same compares lines that sacct printed, their cells separated by "|", with what they should be. Seconds behind the
// state of a job may be greater by late at most. Under a jump clock late is the real time that has passed, because
// the clock skips what nobody needs. So on a slow machine, or while somebody stops the cluster, what the cluster does
// comes as much later as it takes.
func Same(got, want string, late time.Duration) bool {
	return slices.EqualFunc(strings.Fields(got), strings.Fields(want), func(got, want string) bool {
		state := false
		return slices.EqualFunc(strings.Split(got, "|"), strings.Split(want, "|"), func(got, want string) bool {
			behind := state
			state = state || want == "COMPLETED" || want == "FAILED"
			if got == want || !behind {
				return got == want
			}
			is, err := strconv.Atoi(got)
			least, wantErr := strconv.Atoi(want)
			return err == nil && wantErr == nil && is >= least && float64(is-least) <= math.Ceil(late.Seconds())
		})
	})
}
