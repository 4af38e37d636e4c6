package text

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Nothing stands where a value is unknown or does not exist.
const Nothing = "–"

// Plural counts a thing: "1 job", "2 jobs".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Number writes v with about four significant digits, a whole number without
// decimals.
func Number(v float64) string {
	if v == math.Trunc(v) {
		return Fixed(v, 0)
	}
	return Fixed(v, Decimals(v))
}

// Decimals are the digits after the point that make four significant ones
// from 1 on; smaller values have three.
func Decimals(v float64) int {
	d := 3
	for limit := 10.0; d > 0 && math.Abs(v) >= limit; limit *= 10 {
		d--
	}
	return d
}

// Fixed writes v with a number of decimals and a real minus sign.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Nothing
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

// Percent writes a fraction of 1.
func Percent(v float64) string { return Fixed(100*v, 1) + " %" }

// Duration writes seconds as a reader says them: "45 s", "12 min 5 s", "3 h 20 min".
func Duration(seconds float64) string {
	s := int(math.Round(seconds))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
}

// Minutes writes a time limit as Slurm does: 1-12:30:00.
func Minutes(minutes int) string {
	return fmt.Sprintf("%d-%02d:%02d:00", minutes/(24*60), minutes/60%24, minutes%60)
}

// OrNothing writes texts that may be empty.
func OrNothing(s string) string {
	if s == "" {
		return Nothing
	}
	return s
}

// Counts writes a histogram as "12 × optimal, 1 × time limit", the most
// frequent first.
func Counts(counts map[string]int) string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(a, b int) bool {
		if counts[keys[a]] != counts[keys[b]] {
			return counts[keys[a]] > counts[keys[b]]
		}
		return keys[a] < keys[b]
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%d × %s", counts[k], OrNothing(k))
	}
	return strings.Join(parts, ", ")
}
