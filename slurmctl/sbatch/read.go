package sbatch

import (
	"fmt"
	"slices"
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

// Parser reads options that people wrote.
type Parser struct {
	options []Option
	want    string
}

// NewParser returns one for the options that are given by their short names where they have one; want lists them for the
// Fault of another one.
func NewParser(want string, allowed ...string) Parser {
	return Parser{want: want, options: slices.DeleteFunc(inTurn(), func(o Option) bool { return !slices.Contains(allowed, o.key()) })}
}

// LineParser returns one for the options of a job in a list of jobs.
func LineParser() Parser {
	all := slices.DeleteFunc(inTurn(), func(o Option) bool { return !o.inLines })
	// The shape of a job first, whatever its turn in a command.
	shape := slices.DeleteFunc(slices.Clone(all), func(o Option) bool { return o.of != nil })
	all = append(shape, slices.DeleteFunc(all, func(o Option) bool { return o.of == nil })...)
	var names, long []string
	for _, o := range all {
		name := o.key()
		if !o.bare && o.Short == "" {
			name += "=" + o.hint
		}
		if names = append(names, name); o.Short != "" {
			long = append(long, o.Long+"=")
		}
	}
	return Parser{options: all, want: fmt.Sprintf("%s (or %s)", strings.Join(names, ", "), strings.Join(long, ", "))}
}

// Parse reads the words. A value stands in the next word, after "=", or after a short name. Counts that
// are not there are 0.
func (p Parser) Parse(words []string) (Request, []Fault) {
	r := reading{Parser: p, seen: map[string]bool{}}
	for len(words) > 0 {
		words = r.option(words)
	}
	return r.request, r.faults
}

// ParseCommand reads the words after "sbatch" of a command that Argv wrote.
func ParseCommand(words []string) (Request, []Fault) {
	r := reading{Parser: Parser{options: inTurn(), want: "the options that Request has"}, seen: map[string]bool{}}
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = r.option(words)
	}
	if len(words) > 0 {
		r.request.Path, r.request.Args = words[0], words[1:]
	}
	return r.request, r.faults
}

// reading collects a request and its faults.
type reading struct {
	Parser
	seen    map[string]bool
	request Request
	faults  []Fault
}

// option reads one option with its value and returns the words after it.
func (p *reading) option(words []string) []string {
	name, value, attached := split(words[0])
	rest := words[1:]
	at := slices.IndexFunc(p.options, func(o Option) bool { return name != "" && (o.Long == name || o.Short == name) })
	if at < 0 {
		p.faults = append(p.faults, Fault{Option: "option", Value: words[0], Want: p.want})
		return rest
	}
	o := p.options[at]
	if p.seen[o.key()] {
		p.faults = append(p.faults, Fault{Option: o.key(), Twice: true, Want: "once"})
	}
	p.seen[o.key()] = true
	if o.bare {
		if attached {
			p.faults = append(p.faults, Fault{Option: o.key(), Value: value, Want: "no value"})
		}
		_ = o.set(&p.request, "")
		return rest
	}
	if !attached && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		value, rest = rest[0], rest[1:]
	}
	if want := o.set(&p.request, value); want != "" {
		p.faults = append(p.faults, Fault{Option: o.key(), Value: value, Want: want})
	}
	return rest
}

func readNodes(r *Request, word string) (want string) {
	least, most, isRange := strings.Cut(word, "-")
	if want = positive(&r.Nodes, least); want == "" && isRange {
		want = positive(&r.NodesMax, most)
	}
	if want != "" || isRange && r.NodesMax < r.Nodes {
		return "a whole number from 1, or a range of them such as 2-4"
	}
	if r.NodesMax == r.Nodes {
		r.NodesMax = 0
	}
	return ""
}

func readTimeLimit(r *Request, word string) (want string) {
	var ok bool
	if r.TimeLimit, ok = values.TimeLimit(word); !ok || r.TimeLimit == 0 {
		return "a Slurm time from 1 minute, like 10, 1:30:00 or 1-12"
	}
	return ""
}

func readGRES(r *Request, word string) (want string) {
	for name, into := range map[string]*int{"shard:": &r.Shards, "mps:": &r.MPS} {
		if amount, is := strings.CutPrefix(word, name); is && positive(into, amount) == "" {
			return ""
		}
	}
	amount, gpus := strings.CutPrefix(word, "gpu:")
	kind, count, typed := strings.Cut(amount, ":")
	if typed {
		amount = count
	}
	low, high, isRange := strings.Cut(amount, "-")
	if !isRange {
		high = low
	}
	if !gpus || typed && (isRange || !layout.IsWord(kind)) || positive(&r.GPUsMin, low) != "" || positive(&r.GPUsMax, high) != "" {
		return "gpu:COUNT, gpu:TYPE:COUNT, gpu:MIN-MAX, shard:COUNT or mps:COUNT, from 1"
	}
	if typed {
		r.GPUType = kind
	}
	return ""
}

func readLicenses(r *Request, word string) (want string) {
	var ok bool
	if r.Licenses, ok = Licenses(word); !ok {
		return "licences like matlab:2,ansys"
	}
	return ""
}

func readDependencies(r *Request, word string) (want string) {
	if !parseDependencies(r, word) {
		return "after:ID[:ID...], KIND:ID, or both with a comma between them"
	}
	return ""
}

func readBegin(r *Request, word string) (want string) {
	var err error
	if r.Begin, err = values.Time(word); err != nil || r.Begin.IsZero() {
		return "YYYY-MM-DDTHH:MM:SS"
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
// commas. It returns them with their numbers, as Terms has them.
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
	return strings.Join(all, "&"), true
}

// areLicenses says whether Terms.Licenses may have such a text: there is one for the same licences.
func areLicenses(text string) bool {
	same, ok := Licenses(strings.ReplaceAll(text, "&", ","))
	return ok && same == text
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
