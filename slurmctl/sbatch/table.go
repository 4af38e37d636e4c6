package sbatch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Option is a row of the table of all options that a job can have.
type Option struct {
	// Name is the option's column in workload.csv and its cell in package channel; "" for what every command has.
	Name string
	// Long and Short are the names that sbatch has for it, each "" without. An option with neither reaches
	// sbatch by another one, or is none of a Request.
	Long, Short string
	// About says in Markdown what the column means, for docs/reference; "" for an option without a column of Options or Terms.
	About string
	// Public says that the texts of the column name nothing of a site, so that they stay when a workload is anonymised.
	// Numbers and flags always do.
	Public bool

	// of is where the options of a job have the value, nil for an option that has no column of theirs.
	of func(*Options, *Terms) Value
	// low and high bound a number of the column. A text must pass rule; allowed is what passes.
	low, high int
	rule      func(text string) bool
	allowed   string

	// turn is the position in a command: options of a lower one come first, options of the same one in the order of the table.
	turn int
	// inLines says that a line of a list of jobs may have the option; hint is what a message says of its value.
	inLines bool
	hint    string
	// bare is an option without a value.
	bare bool
	// takes and want are rule and allowed of sbatch's value; unit stands behind a number of sbatch's, and a list has commas there.
	takes func(word string) bool
	want  string
	unit  string
	list  bool
	// word is sbatch's value, "" without. read is its opposite; for a bad value it returns what is allowed. cell is
	// the value in package channel. nil is for a value that equals the column's.
	word func(Request) string
	read func(r *Request, word string) (want string)
	cell func(Request) string
	// field is the field of job_desc_msg_t (slurm.h) that slurmchannel sets to the value; "" where its submit.c says what becomes of it.
	field string
}

// table has all options: those that make no column of Options or Terms, and those that do, in the order of their columns.
//
// A new option is a field of Options or Terms and a row below it (options.go). Commands, their reader, workload.csv, the
// channel, checks and reference have it then, and so has each run under Slurm's own policies.
func table() []Option {
	columns := Columns()
	return append(shapes(), columns[:]...)
}

// shapes are the options that every job can have: how many nodes, cores and GPUs, for how long, for whom.
func shapes() []Option {
	return []Option{
		{Long: "--parsable", bare: true, word: func(Request) string { return "1" }, read: ignore},
		{Name: "name", Short: "-J", field: "name",
			word: func(r Request) string { return r.Name }, read: func(r *Request, word string) string { r.Name = word; return "" }},
		{Name: "tasks", Long: "--ntasks", Short: "-n", inLines: true,
			word: func(r Request) string { return strconv.Itoa(r.Tasks) }, read: func(r *Request, word string) string { return positive(&r.Tasks, word) }},
		{Name: "nodes", Long: "--nodes", Short: "-N", inLines: true, word: Request.nodes, read: readNodes},
		{Name: "tasks_per_node", Long: "--ntasks-per-node", inLines: true,
			word: func(r Request) string { return ifAny(r.TasksPerNode) },
			read: func(r *Request, word string) string { return positive(&r.TasksPerNode, word) }},
		{Long: "--cpus-per-task", Short: "-c",
			word: func(r Request) string { return ifAny(r.CPUsPerTask) },
			read: func(r *Request, word string) string { return positive(&r.CPUsPerTask, word) }},
		{Name: "gres", Long: "--gres", field: "tres_per_node", inLines: true, hint: "gpu:", word: Request.GRES, read: readGRES,
			cell: Request.tresPerNode},
		{Name: "contiguous", Long: "--contiguous", bare: true, inLines: true,
			word: func(r Request) string { return bit(r.Contiguous) }, read: func(r *Request, _ string) string { r.Contiguous = true; return "" }},
		{Name: "user", Long: "--uid", turn: 2,
			word: func(r Request) string { return r.User }, read: func(r *Request, word string) string { r.User = word; return "" }},
		{Name: "minutes", Long: "--time", Short: "-t", turn: 3, inLines: true,
			word: func(r Request) string { return strconv.Itoa(int(r.TimeLimit / time.Minute)) }, read: readTimeLimit},
		{Name: "hold", Short: "-H", turn: 3, bare: true,
			word: func(r Request) string { return bit(r.Hold) }, read: func(r *Request, _ string) string { r.Hold = true; return "" }},
		{Name: "begin", Long: "--begin", turn: 5, word: Request.begin, read: readBegin, cell: Request.beginSeconds},
		{Short: "-o", turn: 6, word: func(r Request) string { return cmp.Or(r.Output, discarded) }, read: readOutput},
		// Without -e errors go where the output goes.
		{Short: "-e", turn: 6, word: errorOutput, read: ignore},
	}
}

// Bounds of numbers. Slurm takes nice values and priorities up to 2^31 and 2^32; no sum of numbers of nine digits overflows.
const (
	nineDigits = 999_999_999
	// MaxSegment is the largest of a uint16, as which Slurm keeps it.
	MaxSegment = 1<<16 - 1
	// MaxSeconds is 365 days, Slurm's longest time limit.
	MaxSeconds = 365 * 24 * 3600
)

// WordRule is what layout.IsWord takes.
const WordRule = layout.WordRule

// oneWord is what may stand in the column of an option that is a word.
const oneWord = "none, or one: " + WordRule

// UserRule is what IsUser takes.
const UserRule = "up to 32 of lower-case letters, digits, -, _ and ., the first not -"

// IsUser says whether the user of a job and its account may have the name, as Slurm accounts may. sacctmgr makes
// capitals small, so none are allowed. It would take a - at the beginning for an option. Empty is nobody.
func IsUser(text string) bool {
	return len(text) <= 32 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && !strings.HasPrefix(text, "-")
}

// NameRule says what NameOf does.
const NameRule = "to what a Slurm account can be called: small letters, _ for the rest, cut to 23 characters, then - and the first 8 digits of the old name's SHA-256"

// NameOf is a name that IsUser takes for the name of a user or an account: the name itself, or what of it is allowed with digits of its
// hash, which tell apart names that are then alike, such as "Eve" and "eve". It depends on the name alone, so that the files of a site
// agree.
func NameOf(text string) string {
	if IsUser(text) {
		return text
	}
	const longest, digits = 32, 8
	kept := strings.Map(func(r rune) rune {
		if IsUser("a" + string(r)) {
			return r
		}
		return '_'
	}, strings.ToLower(text))
	if strings.HasPrefix(kept, "-") {
		kept = "_" + kept[1:]
	}
	sum := sha256.Sum256([]byte(text))
	return kept[:min(len(kept), longest-1-digits)] + "-" + hex.EncodeToString(sum[:digits/2])
}

// Columns are the rows of Options and Terms.
func Columns() (all [optionCount + termCount]Option) {
	options, terms := OptionColumns(), TermColumns()
	copy(all[:], options[:])
	copy(all[optionCount:], terms[:])
	return all
}

// Of is where the options of a job have the value.
func (o *Option) Of(options *Options, terms *Terms) Value { return o.of(options, terms) }

// Check says what a column may have on any machine, apart from what it says of other columns, if the value is something else. Otherwise
// it is "".
func (o *Option) Check(value Value) (allowed string) {
	number := 0
	switch v := value.(type) {
	case *Text:
		if v.Asked() && o.rule != nil && !o.rule(string(*v)) {
			return o.allowed
		}
		return ""
	case *Count:
		number = int(*v)
	case *Signed:
		number = int(*v)
	default:
		return ""
	}
	if number < o.low || number > o.high {
		return fmt.Sprintf("%d..%d", o.low, o.high)
	}
	return ""
}

// inTurn has the options that sbatch gets, in the order of a command.
func inTurn() []Option {
	all := slices.DeleteFunc(table(), func(o Option) bool { return o.Long == "" && o.Short == "" })
	slices.SortStableFunc(all, func(a, b Option) int { return cmp.Compare(a.turn, b.turn) })
	return all
}

// key is the short name of an option that has one.
func (o *Option) key() string { return cmp.Or(o.Short, o.Long) }

// value is sbatch's value, "" for a request without the option.
func (o *Option) value(r Request) string {
	if o.word != nil {
		return o.word(r)
	}
	v := o.of(&r.Options, &r.Terms)
	if !v.Asked() {
		return ""
	}
	text := string(v.Append(nil)) + o.unit
	if o.list {
		text = strings.ReplaceAll(text, "&", ",")
	}
	return text
}

// set stores sbatch's value. It returns what is allowed when that is something else.
func (o *Option) set(r *Request, word string) (want string) {
	if o.read != nil {
		return o.read(r, word)
	}
	switch v := o.of(&r.Options, &r.Terms).(type) {
	case *Count:
		return positive((*int)(v), word)
	case *Signed:
		n, err := strconv.Atoi(word)
		*v = Signed(n)
		if err != nil {
			return "a whole number, perhaps with -"
		}
	case *Flag:
		*v = true
	case *Text:
		if *v = Text(word); o.list {
			*v = Text(strings.ReplaceAll(word, ",", "&"))
		}
		if o.takes != nil && !o.takes(word) {
			return o.want
		}
	}
	return ""
}

// words are the option in a command, none without it. What every job has is written with its short name.
func (o *Option) words(r Request) []string {
	value := o.value(r)
	switch {
	case value == "":
		return nil
	case o.bare:
		return []string{cmp.Or(o.Long, o.Short)}
	case o.Long == "" || o.Short != "" && o.of == nil:
		return []string{o.Short, value}
	}
	return []string{o.Long + "=" + value}
}

func ignore(*Request, string) string { return "" }

// discarded is the file of what nobody reads.
const discarded = "/dev/null"

func readOutput(r *Request, word string) string {
	if word != discarded {
		r.Output = word
	}
	return ""
}

func errorOutput(r Request) string {
	if r.Output != "" {
		return ""
	}
	return discarded
}

// ifAny is "" for 0.
func ifAny(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func bit(on bool) string {
	if on {
		return "1"
	}
	return ""
}
