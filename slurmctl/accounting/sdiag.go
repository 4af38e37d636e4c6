package accounting

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Sdiag is the cost of Slurm's backfill cycles and why each ended.
//
// slurmctld measures a cycle with its own clock, so the microseconds are virtual. Under a scaled clock they exceed
// the real ones by the time scale, under a jump clock they are smaller by the CPU speed factor. The time that a cycle
// sleeps between its parts does not count. slurmctld resets all these numbers when its own clock shows midnight
// (src/slurmctld/controller.c, _slurmctld_background), in UTC. A run asks shortly before each midnight, so that these
// are sums over the run.
type Sdiag struct {
	Cycles int
	// MeanMicros and MaxMicros are the mean and the longest cycle in microseconds.
	MeanMicros int
	MaxMicros  int
	// Exits says how often cycles ended for which reason, in Slurm's order; nil
	// when Slurm does not tell.
	Exits []SdiagExit
}

// SdiagExit is a reason why backfill cycles ended, in Slurm's words.
type SdiagExit struct {
	Reason string
	Count  int
}

// endOfQueue is the reason of a cycle that has looked at every waiting job.
const endOfQueue = "End of job queue"

// Early lists the reasons for which cycles ended before the end of the queue, with
// their counts. Such a cycle did not look at all waiting jobs.
func (s Sdiag) Early() []SdiagExit {
	return slices.DeleteFunc(slices.Clone(s.Exits), func(e SdiagExit) bool { return e.Reason == endOfQueue || e.Count == 0 })
}

// ReadSdiag reads the outputs of sdiag that stand one after the other in a file (src/sdiag/sdiag.c, _print_stats). Each
// begins with a header, and what it counts began at the instant of its "Data since". The last output of each such
// instant counts, and these are summed up. A file without a header is one output.
//
// Two sections of an output are read, "Backfilling stats" and "Backfill exit"; each ends with an
// empty line. "Mean cycle" is absent when no cycle has run, the second section
// in versions of Slurm that do not count exits. A section or line that is
// missing, there twice or without a whole number is an error naming file and
// line.
func ReadSdiag(r io.Reader, name string) (Sdiag, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return Sdiag{}, fmt.Errorf("read %s: %w", name, err)
	}
	var sum Sdiag
	for i, o := range sdiagOutputs(string(all)) {
		s, err := o.read(name)
		if err != nil {
			return Sdiag{}, err
		}
		if i == 0 {
			sum = s
		} else {
			sum = sum.plus(s)
		}
	}
	return sum, nil
}

// sdiagOutput are the lines of one output of sdiag.
type sdiagOutput struct {
	// before is the number of lines above, since what follows "Data since", empty without a header.
	before int
	since  string
	lines  []string
}

// sdiagOutputs is one output at least. An output with the instant of the one before takes its place.
func sdiagOutputs(all string) []sdiagOutput {
	outputs := []sdiagOutput{{}}
	n := 0
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "sdiag output at ") && n > 1 {
			outputs = append(outputs, sdiagOutput{before: n})
		}
		last := &outputs[len(outputs)-1]
		last.lines = append(last.lines, strings.TrimSuffix(line, "\n"))
		n++
		since, ok := strings.CutPrefix(line, "Data since ")
		if !ok {
			continue
		}
		last.since = since
		if k := len(outputs); k > 1 && outputs[k-2].since == since {
			outputs = slices.Delete(outputs, k-2, k-1)
		}
	}
	return outputs
}

// plus adds what later output counted.
func (s Sdiag) plus(later Sdiag) Sdiag {
	sum := Sdiag{Cycles: s.Cycles + later.Cycles, MaxMicros: max(s.MaxMicros, later.MaxMicros)}
	if sum.Cycles > 0 {
		part := float64(later.Cycles) / float64(sum.Cycles)
		sum.MeanMicros = int(math.Round(float64(s.MeanMicros)*(1-part) + float64(later.MeanMicros)*part))
	}
	if s.Exits == nil || later.Exits == nil {
		return sum
	}
	sum.Exits = slices.Clone(s.Exits)
	for _, e := range later.Exits {
		i := slices.IndexFunc(sum.Exits, func(known SdiagExit) bool { return known.Reason == e.Reason })
		if i < 0 {
			sum.Exits = append(sum.Exits, e)
		} else {
			sum.Exits[i].Count += e.Count
		}
	}
	return sum
}

func (o sdiagOutput) read(name string) (Sdiag, error) {
	const stats, exits = "Backfilling stats", "Backfill exit"
	found := map[string]int{}
	seen := map[string]bool{}
	var s Sdiag
	section := ""
	for i, text := range o.lines {
		line := o.before + i + 1
		if start := sectionOf(text, stats, exits); start != "" {
			if seen[start] {
				return Sdiag{}, fmt.Errorf("%s:%d: a second section %s", name, line, start)
			}
			section, seen[start] = start, true
			continue
		}
		if strings.Trim(text, "*") == "" {
			section = ""
		}
		key, value, ok := strings.Cut(text, ":")
		key = strings.TrimSpace(key)
		isStat := key == "Total cycles" || key == "Mean cycle" || key == "Max cycle"
		if section == "" || section == stats && (!ok || !isStat) {
			continue
		}
		n, ok := values.Count(strings.TrimSpace(value))
		if _, twice := found[section+key]; !ok || twice {
			return Sdiag{}, fmt.Errorf("%s:%d: field %s: %q: want one whole number", name, line, key, text)
		}
		found[section+key] = n
		if section == exits {
			s.Exits = append(s.Exits, SdiagExit{Reason: key, Count: n})
		}
	}
	s.Cycles, s.MeanMicros, s.MaxMicros = found[stats+"Total cycles"], found[stats+"Mean cycle"], found[stats+"Max cycle"]
	bad := faults.List{Name: name}
	for _, key := range []string{"Total cycles", "Max cycle", "Mean cycle"} {
		if _, ok := found[stats+key]; !ok && (key != "Mean cycle" || s.Cycles > 0) {
			bad.Addf(0, "field %s is missing in section %s", key, stats)
		}
	}
	if err := bad.Err(); err != nil {
		return Sdiag{}, err
	}
	return s, nil
}

// sectionOf returns the section that the line begins, or nothing.
func sectionOf(line string, sections ...string) string {
	for _, section := range sections {
		if strings.HasPrefix(line, section) {
			return section
		}
	}
	return ""
}
