package payload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const prefix = "# slurmlab seconds="

// Seconds is how long a job takes.
type Seconds struct {
	// Fixed holds for a job without OnGPUs.
	Fixed int
	// OnGPUs are the seconds by the number of GPUs per node; nil if that does not matter.
	OnGPUs map[int]int
}

// Line is the line of the script, without its end.
func (s Seconds) Line() string {
	if s.OnGPUs == nil {
		return prefix + strconv.Itoa(s.Fixed)
	}
	var parts []string
	for _, gpus := range slices.Sorted(maps.Keys(s.OnGPUs)) {
		parts = append(parts, fmt.Sprintf("%d:%d", gpus, s.OnGPUs[gpus]))
	}
	return prefix + strings.Join(parts, ",")
}

// On returns the seconds on so many GPUs per node.
func (s Seconds) On(gpus int) (int, error) {
	if s.OnGPUs == nil {
		return s.Fixed, nil
	}
	seconds, found := s.OnGPUs[gpus]
	if !found {
		return 0, fmt.Errorf("%d GPUs per node are none of those in %q", gpus, s.Line())
	}
	return seconds, nil
}

// Parse finds the line in a script. A script without it is an error.
func Parse(script string) (Seconds, error) {
	for line := range strings.Lines(script) {
		text, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix)
		if !found {
			continue
		}
		s, err := parse(text)
		if err != nil {
			return s, fmt.Errorf("line %q: %w", strings.TrimSpace(line), err)
		}
		return s, nil
	}
	return Seconds{}, fmt.Errorf("no line begins with %q", prefix)
}

func parse(text string) (Seconds, error) {
	if !strings.Contains(text, ":") {
		seconds, err := count(text)
		return Seconds{Fixed: seconds}, err
	}
	s := Seconds{OnGPUs: map[int]int{}}
	for part := range strings.SplitSeq(text, ",") {
		number, time, _ := strings.Cut(part, ":")
		gpus, err := count(number)
		if err != nil {
			return s, err
		}
		if s.OnGPUs[gpus], err = count(time); err != nil {
			return s, err
		}
	}
	return s, nil
}

func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number of at least 0", text)
	}
	return n, nil
}
