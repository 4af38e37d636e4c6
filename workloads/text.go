package workloads

import (
	"strings"
)

// textOptions is the list of what a .txt line may hold after its run time.
const textOptions = "-n, -N, --ntasks-per-node=, --gres=gpu:, --contiguous, -t (or --ntasks=, --nodes=, --time=)"

// textLine is one line while its options are read.
type textLine struct {
	job    Job
	faults []fault
	seen   map[string]bool
}

// parseText reads a list of jobs as sbatch options:
//
//	# run time in seconds, then options
//	124 -n 1048 -N 262 --ntasks-per-node=4
//	274 -n 388 -N 97 --ntasks-per-node=4 --gres=gpu:2 --contiguous -t 10
//
// Everything after # is a comment. Jobs are numbered from 1 in the order of the
// lines. Without -n a job gets Slurm's default: the nodes times the tasks per
// node, which are 1 when not given. Without -t the limit is the default limit
// model of a Spec. It returns the jobs and their lines.
func parseText(name string, data []byte) ([]Job, []int, error) {
	t := newTable(name)
	id := 0
	for i, text := range splitLines(data) {
		text, _, _ = strings.Cut(text, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		id++
		line := textLine{job: Job{ID: id}, seen: map[string]bool{}}
		line.parse(words)
		for _, f := range line.faults {
			t.rep.add(i+1, f.String())
		}
		if len(line.faults) == 0 {
			t.addJob(i+1, line.job)
		}
	}
	return t.done()
}

func (l *textLine) parse(words []string) {
	runtime, ok := wholeNumber(words[0])
	if !ok || runtime < 1 {
		l.faults = append(l.faults, fault{"run time", got(words[0]), "whole seconds as the first word, from 1"})
	}
	l.job.Runtime = runtime
	for words = words[1:]; len(words) > 0; {
		words = l.option(words)
	}
	j := &l.job
	if j.Cores == 0 {
		j.Cores = j.Nodes * max(1, j.CoresPerNode)
	}
	if j.Limit == 0 {
		j.Limit = defaultLimit().draw(stream{}, runtime)
	}
	j.Class = j.Kind()
}

// option reads one option with its value and returns the words after it.
func (l *textLine) option(words []string) []string {
	name, value, attached := splitOption(words[0])
	rest := words[1:]
	canonical := canonicalOption(name)
	if canonical == "" {
		l.faults = append(l.faults, fault{"option", got(words[0]), textOptions})
		return rest
	}
	if l.seen[canonical] {
		l.faults = append(l.faults, fault{canonical, "got it twice", "once"})
	}
	l.seen[canonical] = true
	if canonical == "--contiguous" {
		if attached {
			l.faults = append(l.faults, fault{canonical, got(value), "no value"})
		}
		l.job.Contiguous = true
		return rest
	}
	if !attached && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		value, rest = rest[0], rest[1:]
	}
	if wanted := l.set(canonical, value); wanted != "" {
		l.faults = append(l.faults, fault{canonical, got(value), wanted})
	}
	return rest
}

// set stores the value of an option. It returns what is allowed when the value
// is something else.
func (l *textLine) set(option, value string) (wanted string) {
	switch option {
	case "-t":
		seconds, ok := slurmTime(value)
		l.job.Limit = seconds
		if !ok || seconds == 0 {
			return "a Slurm time from 1 minute, like 10, 1:30:00 or 1-12"
		}
	case "--gres":
		amount, ok := strings.CutPrefix(value, "gpu:")
		low, high, isRange := strings.Cut(amount, "-")
		if !isRange {
			high = low
		}
		least, leastOK := wholeNumber(low)
		most, mostOK := wholeNumber(high)
		l.job.GPUsMin, l.job.GPUsMax = least, most
		if !ok || !leastOK || !mostOK || least == 0 {
			return "gpu:COUNT or gpu:MIN-MAX, from 1"
		}
	default:
		into := map[string]*int{"-n": &l.job.Cores, "-N": &l.job.Nodes, "--ntasks-per-node": &l.job.CoresPerNode}[option]
		n, ok := wholeNumber(value)
		*into = n
		if !ok || n == 0 {
			return "a whole number from 1"
		}
	}
	return ""
}

// splitOption cuts "--name=value" and "-xvalue" as getopt does.
func splitOption(word string) (name, value string, attached bool) {
	if strings.HasPrefix(word, "--") {
		return strings.Cut(word, "=")
	}
	if strings.HasPrefix(word, "-") && len(word) > 2 {
		return word[:2], word[2:], true
	}
	return word, "", false
}

// canonicalOption returns one name for each option, empty for an unknown one.
func canonicalOption(name string) string {
	switch name {
	case "-n", "--ntasks":
		return "-n"
	case "-N", "--nodes":
		return "-N"
	case "-t", "--time":
		return "-t"
	case "--ntasks-per-node", "--gres", "--contiguous":
		return name
	}
	return ""
}

// slurmTime reads the forms of sbatch --time: M, M:S, H:M:S, D-H, D-H:M,
// D-H:M:S. Like Slurm it rounds up to whole minutes. The result is in seconds.
func slurmTime(text string) (int, bool) {
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	var units []int
	switch {
	case len(parts) == 3 || hasDays && len(parts) < 3:
		units = []int{3600, 60, 1}
	case len(parts) < 3:
		units = []int{60, 1}
	default:
		return 0, false
	}
	d, ok := wholeNumber(days)
	total := d * 24 * 3600
	for i, part := range parts {
		n, partOK := wholeNumber(part)
		ok = ok && partOK
		total += n * units[i]
	}
	return (total + 59) / 60 * 60, ok
}
