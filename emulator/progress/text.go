package progress

import (
	"fmt"
	"time"
)

// percent is rounded down: 100 % are all jobs.
func percent(share float64) int { return int(100*share + 1e-9) }

// virtual prints virtual seconds as a clock does: 1:02:10.
func virtual(seconds float64) string {
	s := int(seconds)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// About prints a guess of real time with no more digits than a guess has: 25 s,
// 4 min, 1 h 20 min.
func About(d time.Duration) string {
	s := d.Seconds()
	switch {
	case s < 55:
		return fmt.Sprintf("%d s", max(5, 5*int(s/5+0.5)))
	case s < 57*60:
		return fmt.Sprintf("%d min", int(s/60+0.5))
	}
	tens := int(s/600 + 0.5)
	switch {
	case tens >= 60:
		return fmt.Sprintf("%d h", int(s/3600+0.5))
	case tens%6 == 0:
		return fmt.Sprintf("%d h", tens/6)
	default:
		return fmt.Sprintf("%d h %d min", tens/6, tens%6*10)
	}
}
