package sbatch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Fault is what is wrong with one option.
type Fault struct {
	// Option is its short name where it has one, "option" for an unknown one.
	Option string
	// Value is what it has, Want what is allowed there.
	Value, Want string
	// Twice says that it was there before; Value is not set then.
	Twice bool
}

// Error implements error.
func (f Fault) Error() string {
	got := fmt.Sprintf("%q", f.Value)
	if f.Twice {
		got = "it twice"
	}
	return fmt.Sprintf("%s: got %s, allowed %s", f.Option, got, f.Want)
}

// ParseOptions reads options that people wrote. Those that may be there are given by
// their short names where they have one; want lists them for the Fault of another
// one. A value stands in the next word, after "=", or after a short name. Counts that
// are not there are 0.
func ParseOptions(words []string, want string, allowed ...string) (Request, []Fault) {
	p := parser{allowed: allowed, want: want, seen: map[string]bool{}}
	for len(words) > 0 {
		words = p.option(words)
	}
	return p.request, p.faults
}

// ParseCommand reads the words after "sbatch" of a command that Argv wrote.
func ParseCommand(words []string) (Request, []Fault) {
	p := parser{seen: map[string]bool{}, want: "the options that Request has", allowed: []string{
		"-J", "-n", "-N", "--ntasks-per-node", "--gres", "--contiguous", "--account", "--nice", "--priority", "-t", "-H", "--dependency", "--begin",
		"--parsable", "-o", "-e", "-p", "--mem", "--mem-per-cpu", "-C", "--exclusive", "-q", "-L", "--reservation", "-w", "--uid",
	}}
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = p.option(words)
	}
	if len(words) > 0 {
		p.request.Path, p.request.Args = words[0], words[1:]
	}
	return p.request, p.faults
}

// parser collects a request and its faults.
type parser struct {
	allowed []string
	want    string
	seen    map[string]bool
	request Request
	faults  []Fault
}

// option reads one option with its value and returns the words after it.
func (p *parser) option(words []string) []string {
	name, value, attached := split(words[0])
	rest := words[1:]
	short := canonical(name)
	if !slices.Contains(p.allowed, short) {
		p.faults = append(p.faults, Fault{Option: "option", Value: words[0], Want: p.want})
		return rest
	}
	if p.seen[short] {
		p.faults = append(p.faults, Fault{Option: short, Twice: true, Want: "once"})
	}
	p.seen[short] = true
	switch short {
	case "--contiguous", "-H", "--parsable", "--exclusive":
		if attached {
			p.faults = append(p.faults, Fault{Option: short, Value: value, Want: "no value"})
		}
		p.request.Contiguous = p.request.Contiguous || short == "--contiguous"
		p.request.Hold = p.request.Hold || short == "-H"
		p.request.Exclusive = p.request.Exclusive || short == "--exclusive"
		return rest
	}
	if !attached && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		value, rest = rest[0], rest[1:]
	}
	if want := p.set(short, value); want != "" {
		p.faults = append(p.faults, Fault{Option: short, Value: value, Want: want})
	}
	return rest
}

// set stores the value of an option. It returns what is allowed when the value
// is something else.
func (p *parser) set(option, value string) (want string) {
	r := &p.request
	var err error
	var ok bool
	switch option {
	case "-n":
		return positive(&r.Tasks, value)
	case "-N":
		least, most, isRange := strings.Cut(value, "-")
		if want = positive(&r.Nodes, least); want == "" && isRange {
			want = positive(&r.NodesMax, most)
		}
		if want != "" || isRange && r.NodesMax < r.Nodes {
			return "a whole number from 1, or a range of them such as 2-4"
		}
		if r.NodesMax == r.Nodes {
			r.NodesMax = 0
		}
	case "--ntasks-per-node":
		return positive(&r.TasksPerNode, value)
	case "-t":
		if r.TimeLimit, ok = values.TimeLimit(value); !ok || r.TimeLimit == 0 {
			return "a Slurm time from 1 minute, like 10, 1:30:00 or 1-12"
		}
	case "--gres":
		amount, gpus := strings.CutPrefix(value, "gpu:")
		kind, count, typed := strings.Cut(amount, ":")
		if typed {
			amount = count
		}
		low, high, isRange := strings.Cut(amount, "-")
		if !isRange {
			high = low
		}
		if !gpus || typed && (isRange || !layout.IsWord(kind)) || positive(&r.GPUsMin, low) != "" || positive(&r.GPUsMax, high) != "" {
			return "gpu:COUNT, gpu:TYPE:COUNT or gpu:MIN-MAX, from 1"
		}
		if typed {
			r.GPUType = kind
		}
	case "-p":
		if r.Partition = value; !layout.IsWord(value) {
			return "the name of one partition"
		}
	case "--mem":
		return memory(&r.MemPerNode, value)
	case "--mem-per-cpu":
		return memory(&r.MemPerCPU, value)
	case "-C":
		if r.Features = value; value == "" || strings.Trim(value, featureLetters) != "" {
			return "features joined by & or by |"
		}
	case "-q":
		if r.QOS = value; !layout.IsWord(value) {
			return "the name of one QOS"
		}
	case "-L":
		if r.Licenses, ok = Licenses(value); !ok {
			return "licences like matlab:2,ansys"
		}
	case "--reservation":
		if r.Reservation = value; !layout.IsWord(value) {
			return "the name of one reservation"
		}
	case "-w":
		if _, err = values.ExpandHosts(value); err != nil || value == "" {
			return "nodes like n[1-3,7]"
		}
		r.NodeList = value
	case "--uid":
		r.User = value
	case "-J":
		r.Name = value
	case "--account":
		r.Account = value
	case "--nice":
		if r.Nice, err = strconv.Atoi(value); err != nil {
			return "a whole number, perhaps with -"
		}
	case "--priority":
		return positive(&r.Priority, value)
	case "--dependency":
		if !parseDependencies(r, value) {
			return "after:ID[:ID...], KIND:ID, or both with a comma between them"
		}
	case "--begin":
		if r.Begin, err = values.Time(value); err != nil || r.Begin.IsZero() {
			return "YYYY-MM-DDTHH:MM:SS"
		}
	}
	return ""
}

// positive reads a count from 1 of at most nine digits, so that no product of two
// counts overflows.
func positive(into *int, text string) (want string) {
	n, ok := values.Count(text)
	if !ok || n == 0 || len(text) > 9 {
		return "a whole number from 1, no range"
	}
	*into = n
	return ""
}

// featureLetters are those of features, and what joins them.
const featureLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.&|"

// memory reads a size as sbatch does, in MiB unless a letter says otherwise. Of 0, which stands
// for all memory of a node, a Request knows nothing.
func memory(into *int, text string) (want string) {
	n, ok := values.MiB(text)
	if !ok || n == 0 || strings.ContainsAny(text, ".Pp") {
		return "a whole number of MiB from 1, or one with K, M, G or T"
	}
	if n > layout.MaxMemory {
		return "up to 64T"
	}
	*into = n
	return ""
}

// Licenses reads a value of --licenses: names, each with a number behind a colon unless it is 1, joined by
// commas. It returns them with their numbers.
func Licenses(text string) (string, bool) {
	var all, names []string
	for part := range strings.SplitSeq(text, ",") {
		name, number, counted := strings.Cut(part, ":")
		n := 1
		if counted && positive(&n, number) != "" || !layout.IsWord(name) || slices.Contains(names, name) {
			return "", false
		}
		names = append(names, name)
		all = append(all, fmt.Sprintf("%s:%d", name, n))
	}
	return strings.Join(all, ","), true
}

// split cuts "--name=value" and "-xvalue" as getopt does.
func split(word string) (name, value string, attached bool) {
	if strings.HasPrefix(word, "--") {
		return strings.Cut(word, "=")
	}
	if strings.HasPrefix(word, "-") && len(word) > 2 {
		return word[:2], word[2:], true
	}
	return word, "", false
}

// canonical returns one name for each option, the short one where there are two.
func canonical(name string) string {
	switch name {
	case "--ntasks":
		return "-n"
	case "--nodes":
		return "-N"
	case "--time":
		return "-t"
	case "--partition":
		return "-p"
	case "--constraint":
		return "-C"
	case "--qos":
		return "-q"
	case "--licenses":
		return "-L"
	case "--nodelist":
		return "-w"
	}
	return name
}
