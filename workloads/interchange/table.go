package interchange

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Table says what the columns of a trace mean, so that a trace in a new form needs no code.
type Table struct {
	// Name is the format, Title what the trace is.
	Name, Title string
	// Licence and Citation are for the record of an import, "" where unknown.
	Licence, Citation string
	// separator stands between values, " " for any blanks. comment begins lines that are left out, "" for none.
	separator, comment string
	// names are the columns of a file without a header, in their order.
	names []string
	// unknown are values that stand for nothing, besides an empty one, None, NULL, NaN, NaT and Unknown.
	unknown []string
	// columns are the names of columns by their meanings, fixed are values that each job has.
	columns, fixed map[string]string
	// states are Slurm's words for words of the trace; a job in running or pending has not ended or never ran.
	states map[string]string
}

// Columns are the columns that the import reads, each with its meaning, in the order of Meanings. A fixed value stands for a column
// that the trace has not.
func (t *Table) Columns() (read, fixed []Meaning) {
	for _, m := range Meanings() {
		if column, ok := t.columns[m.Name]; ok {
			read = append(read, Meaning{column, m.Name})
		}
		if value, ok := t.fixed[m.Name]; ok {
			fixed = append(fixed, Meaning{m.Name, value})
		}
	}
	return read, fixed
}

// Meaning is what a column of a Table can mean.
type Meaning struct{ Name, About string }

// The meanings of columns.
const (
	meansID           = "id"
	meansUser         = "user"
	meansAccount      = "account"
	meansPartition    = "partition"
	meansSubmit       = "submit"
	meansStart        = "start"
	meansEnd          = "end"
	meansWait         = "wait"
	meansRuntime      = "runtime"
	meansLimit        = "limit"
	meansLimitMinutes = "limit_minutes"
	meansLimitNano    = "limit_nanoseconds"
	meansQOS          = "qos"
	meansNodes        = "nodes"
	meansCores        = "cores"
	meansCoresPerNode = "cores_per_node"
	meansCPUMilli     = "cpu_milli"
	meansGPUs         = "gpus"
	meansGPUsPerNode  = "gpus_per_node"
	meansGPUMilli     = "gpu_milli"
	meansGPUType      = "gpu_type"
	meansMemory       = "memory_mib"
	meansTRES         = "tres"
	meansState        = "state"
	meansExit         = "exit_code"
)

// Meanings returns what columns can mean, in the order of the documentation.
func Meanings() []Meaning {
	return []Meaning{
		{meansID, "number of the job; without it jobs are numbered by their lines"},
		{meansUser, "user"},
		{meansAccount, "account that is charged"},
		{meansPartition, "partition, queue or virtual cluster"},
		{meansQOS, "QOS"},
		{meansSubmit, "submission: seconds, or a date with a time"},
		{meansStart, "start, in the same forms; a job without one never ran"},
		{meansEnd, "end, in the same forms"},
		{meansWait, "seconds from submission to start"},
		{meansRuntime, "run time in seconds, in the place of start and end"},
		{meansLimit, "time limit in seconds"},
		{meansLimitMinutes, "time limit in minutes"},
		{meansLimitNano, "time limit in nanoseconds, as Arrow's durations are in Parquet"},
		{meansNodes, "nodes"},
		{meansCores, "cores of all nodes"},
		{meansCoresPerNode, "cores of each node"},
		{meansCPUMilli, "thousandths of a core, of all nodes"},
		{meansGPUs, "GPUs of all nodes; a fraction of one becomes shards where the machine has them, else a whole one"},
		{meansGPUsPerNode, "GPUs of each node; a fraction as above"},
		{meansGPUMilli, "thousandths of each GPU; less than 1000 are a fraction"},
		{meansGPUType, "type of the GPUs"},
		{meansMemory, "memory of each node in MiB"},
		{meansTRES, "Slurm's list of resources by number: 1=cores, 4=nodes, 1001 and 1002=GPUs"},
		{meansState, "how the job ended, in Slurm's words or those below states"},
		{meansExit, "exit code, 0 for a job that completed"},
	}
}

func meanings() []string {
	var names []string
	for _, m := range Meanings() {
		names = append(names, m.Name)
	}
	return names
}

// ParseTable reads a table from YAML with the keys title, licence, citation, separator, comment, names, unknown,
// columns, fixed and states. The error lists all faults with their lines.
func ParseTable(file string, text []byte) (*Table, error) {
	doc := input.Open(file, text, input.Allowed)
	root := doc.Root()
	t := &Table{Name: strings.TrimSuffix(path.Base(file), path.Ext(file)), separator: ",", columns: map[string]string{}, fixed: map[string]string{}, states: map[string]string{}}
	for _, key := range t.keys() {
		if v, ok := root.Get(key.name); ok {
			key.read(v)
		}
	}
	root.Done()
	if doc.Faults.Len() == 0 {
		for _, problem := range t.lacks() {
			doc.Faults.Addf(1, "columns: %s", problem)
		}
	}
	return t, doc.Faults.Err()
}

// tableKey is a key of a table's file.
type tableKey struct {
	name string
	read func(input.Value)
}

// keys are the keys of a table's file. names come before columns, which are some of them.
func (t *Table) keys() []tableKey {
	text := func(into *string) func(input.Value) { return func(v input.Value) { *into = v.Word() } }
	list := func(into *[]string) func(input.Value) { return func(v input.Value) { *into = scalars(v) } }
	each := func(use func(name string, v input.Value)) func(input.Value) {
		return func(v input.Value) {
			for name, value := range v.Mapping().All() {
				use(name, value)
			}
		}
	}
	return []tableKey{
		{"title", text(&t.Title)}, {"licence", text(&t.Licence)}, {"citation", text(&t.Citation)},
		{"separator", t.readSeparator}, {"comment", text(&t.comment)}, {"names", list(&t.names)}, {"unknown", list(&t.unknown)},
		{"columns", each(t.mean)}, {"fixed", each(t.fix)}, {"states", each(func(name string, v input.Value) { t.states[name] = scalar(v) })},
	}
}

func (t *Table) readSeparator(v input.Value) {
	t.separator = v.Word()
	if utf8.RuneCountInString(t.separator) != 1 || strings.ContainsAny(t.separator, "\"\r\n") {
		v.Failf("got %s, allowed one character, a blank for any number of blanks", faults.Quote(t.separator))
		t.separator = ","
	}
}

// fix takes a value that each job has.
func (t *Table) fix(meaning string, v input.Value) {
	if !slices.Contains(meanings(), meaning) {
		v.Failf("unknown meaning, allowed %s%s", strings.Join(meanings(), ", "), faults.DidYouMean(meaning, meanings()))
		return
	}
	t.fixed[meaning] = scalar(v)
}

// mean takes what a column means, which no other one does.
func (t *Table) mean(column string, v input.Value) {
	meaning := v.Word()
	switch _, twice := t.columns[meaning]; {
	case meaning == "":
	case !slices.Contains(meanings(), meaning):
		v.Failf("got %s, allowed %s%s", faults.Quote(meaning), strings.Join(meanings(), ", "), faults.DidYouMean(meaning, meanings()))
	case twice:
		v.Failf("got %s, allowed once, and column %s has it", meaning, t.columns[meaning])
	case len(t.names) > 0 && !slices.Contains(t.names, column):
		v.Failf("got a column that is none of names")
	default:
		t.columns[meaning] = column
	}
}

// has says whether each job can have a value of one of the meanings.
func (t *Table) has(meanings ...string) bool {
	return slices.ContainsFunc(meanings, func(m string) bool { return t.columns[m] != "" || t.fixed[m] != "" })
}

// lacks says what no job can do without.
func (t *Table) lacks() []string {
	var out []string
	if !t.has(meansSubmit) {
		out = append(out, "got none that means submit")
	}
	if !t.has(meansRuntime) && (!t.has(meansEnd) || !t.has(meansStart, meansWait)) {
		out = append(out, "got none that means runtime, allowed are also start or wait, with end")
	}
	if !t.has(meansCores, meansCPUMilli, meansCoresPerNode, meansGPUs, meansGPUsPerNode, meansTRES) {
		out = append(out, "got none that means a size, allowed cores, cores_per_node, cpu_milli, gpus, gpus_per_node or tres")
	}
	if t.has(meansCoresPerNode, meansGPUsPerNode) && !t.has(meansNodes) {
		out = append(out, "got a size of each node without nodes")
	}
	return out
}

func scalar(v input.Value) string {
	text, ok := v.Scalar()
	if !ok {
		v.Mistyped("a single value")
	}
	return text
}

func scalars(v input.Value) []string {
	var list []string
	for _, one := range v.List() {
		list = append(list, scalar(one))
	}
	return list
}

//go:embed tables/*.yaml
var tables embed.FS

// Tables returns the tables of the built-in formats that are such, by their names.
func Tables() []*Table {
	files, err := tables.ReadDir("tables")
	var all []*Table
	for _, f := range files {
		text, readErr := tables.ReadFile("tables/" + f.Name())
		t, parseErr := ParseTable(f.Name(), text)
		all, err = append(all, t), errors.Join(err, readErr, parseErr)
	}
	if err != nil {
		// TestTables parses each.
		panic(err)
	}
	return all
}

// findTable is the built-in table of a format, nil without one.
func findTable(format string) *Table {
	all := Tables()
	if i := slices.IndexFunc(all, func(t *Table) bool { return t.Name == format }); i >= 0 {
		return all[i]
	}
	return nil
}

// tableReader reads the jobs of a trace by a table.
type tableReader struct {
	table *Table
	rows  interface {
		Next() (fields []string, line int, err error)
	}
	// at are the indexes of the columns by what they mean, named are the columns of the file.
	at    map[string]int
	named []string
	// dated says that times are dates, or Unix times.
	dated bool
}

// open reads a trace in text or Parquet.
func (t *Table) open(name string, in io.Reader) (*tableReader, error) {
	whole := bufio.NewReader(in)
	if magic, _ := whole.Peek(len(records.ParquetMagic)); string(magic) == records.ParquetMagic {
		rows, err := records.NewParquet(name, whole)
		if err != nil {
			return nil, err
		}
		return t.reader(name, rows.Names, rows)
	}
	return newTable(name, whole, t)
}

// newTable reads rows of text.
func newTable(name string, in io.Reader, t *Table) (*tableReader, error) {
	rows := &textRows{in: records.NewLines(name, in), table: t, columns: len(t.names)}
	named := t.names
	if len(named) == 0 {
		first, _, err := rows.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		named, rows.columns = first, len(first)
	}
	return t.reader(name, named, rows)
}

func (t *Table) reader(name string, named []string, rows interface {
	Next() (fields []string, line int, err error)
}) (*tableReader, error) {
	r := &tableReader{table: t, rows: rows, at: map[string]int{}, named: named}
	for _, meaning := range meanings() {
		column, ok := t.columns[meaning]
		if !ok {
			continue
		}
		if r.at[meaning] = slices.IndexFunc(named, func(n string) bool { return strings.EqualFold(n, column) }); r.at[meaning] < 0 {
			return nil, fmt.Errorf("%s:1: header: got no column %s in %s", name, column, faults.Quote(strings.Join(named, ",")))
		}
	}
	return r, nil
}

// header is what the record of an import says of the source.
func (r *tableReader) header() []string {
	out := published(r.table.Title, r.table.Licence, r.table.Citation)
	var unread []string
	for i, name := range r.named {
		if !slices.Contains(slices.Collect(maps.Values(r.at)), i) {
			unread = append(unread, name)
		}
	}
	if len(unread) > 0 {
		out = append(out, "columns that are not read: "+strings.Join(unread, ", "))
	}
	return out
}

// epoch is that of Unix if the times are dates: those without a zone are read as UTC.
func (r *tableReader) epoch() (float64, bool) { return 0, r.dated }

func (r *tableReader) next() (request, error) {
	fields, line, err := r.rows.Next()
	if err != nil {
		return request{}, err
	}
	row := tableRow{reader: r, line: line, fields: fields}
	req := row.request()
	return req, row.bad
}
