package jobs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	prefix    = "# slurmlab seconds="
	endPrefix = " end="
)

// End is how a job ends when its time is over.
type End string

// The ends.
const (
	// Completes is a script that exits with 0.
	Completes End = ""
	// Fails is one that exits with 1.
	Fails End = "failed"
	// IsCancelled is a job that its owner cancels.
	IsCancelled End = "cancelled"
	// LacksMemory is a job that was killed because it had no memory left.
	LacksMemory End = "out_of_memory"
)

// Code is the exit code that Slurm gets for a job that is not cancelled, as wait(2) has it. For LacksMemory it is the
// one by which slurmstepd reports it (SIG_OOM in src/common/slurm_protocol_defs.h).
func (e End) Code() int {
	return map[End]int{Fails: 1 << 8, LacksMemory: 253}[e]
}

// Seconds is how long a job takes, and how it ends then.
type Seconds struct {
	// Fixed holds for a job without OnGPUs.
	Fixed int
	// OnGPUs are the seconds by the number of GPUs per node; nil if that does not matter.
	OnGPUs map[int]int
	End    End
}

// Line is the line of the script, without its end.
func (s Seconds) Line() string {
	var parts []string
	for _, gpus := range slices.Sorted(maps.Keys(s.OnGPUs)) {
		parts = append(parts, fmt.Sprintf("%d:%d", gpus, s.OnGPUs[gpus]))
	}
	if s.OnGPUs == nil {
		parts = []string{strconv.Itoa(s.Fixed)}
	}
	line := prefix + strings.Join(parts, ",")
	if s.End != Completes {
		line += endPrefix + string(s.End)
	}
	return line
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
	text, word, found := strings.Cut(text, endPrefix)
	s := Seconds{End: End(word)}
	if found && !slices.Contains([]End{Fails, IsCancelled, LacksMemory}, s.End) {
		return s, fmt.Errorf("%q is no end of a job", word)
	}
	if !strings.Contains(text, ":") {
		var err error
		s.Fixed, err = count(text)
		return s, err
	}
	s.OnGPUs = map[int]int{}
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
