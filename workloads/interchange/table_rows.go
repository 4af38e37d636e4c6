package interchange

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// textRows are the lines of a table in text. A value may stand in double quotes, but not go on in a further line.
type textRows struct {
	in    *records.Lines
	table *Table
	// columns is the number of values of each line, 0 before the header.
	columns int
}

func (t *textRows) Next() (fields []string, line int, err error) {
	for {
		text, err := t.in.Filled()
		if err != nil {
			return nil, 0, err
		}
		if t.table.comment != "" && strings.HasPrefix(strings.TrimSpace(string(text)), t.table.comment) {
			continue
		}
		fields, err := t.split(string(text))
		if err != nil {
			return nil, 0, records.Bad(t.in.Number, "line", err.Error(), "values, those with separators in double quotes")
		}
		if t.columns > 0 && len(fields) != t.columns {
			return nil, 0, records.BadCount(t.in.Number, len(fields), t.columns, strconv.Quote(t.table.separator))
		}
		return fields, t.in.Number, nil
	}
}

func (t *textRows) split(line string) ([]string, error) {
	switch {
	case t.table.separator == " ":
		return strings.Fields(line), nil
	case !strings.Contains(line, `"`):
		return strings.Split(line, t.table.separator), nil
	}
	in := csv.NewReader(strings.NewReader(line))
	in.Comma, in.LazyQuotes = []rune(t.table.separator)[0], true
	return in.Read()
}

// tableRow reads the values of one record; the first bad one is kept.
type tableRow struct {
	reader *tableReader
	line   int
	fields []string
	bad    error
}

// text is the value of a meaning, "" where the trace has none.
func (r *tableRow) text(meaning string) string {
	text := r.reader.table.fixed[meaning]
	if i, ok := r.reader.at[meaning]; ok {
		text = strings.TrimSpace(r.fields[i])
	}
	if slices.Contains([]string{"None", "NULL", "null", "NaN", "nan", "NaT", "Unknown", "N/A", "<NA>"}, text) || slices.Contains(r.reader.table.unknown, text) {
		return ""
	}
	return text
}

func (r *tableRow) has(meaning string) bool { return r.text(meaning) != "" }

func (r *tableRow) fault(meaning, allowed string) {
	if r.bad != nil {
		return
	}
	name := meaning
	if i, ok := r.reader.at[meaning]; ok {
		name = r.reader.named[i]
	}
	r.bad = records.BadField(r.line, name, r.text(meaning), allowed)
}

func (r *tableRow) request() request {
	req := request{line: r.line, id: r.text(meansID), user: user{text: r.text(meansUser)}}
	if !r.reader.hasID() {
		req.id = strconv.Itoa(r.line)
	}
	if r.has(meansAccount) {
		req.account.text = r.text(meansAccount)
	}
	if !r.has(meansSubmit) {
		r.fault(meansSubmit, "a time: each job has one")
	}
	req.submit = r.time(meansSubmit)
	req.unused.partition = r.text(meansPartition)
	req.limit = r.number(meansLimit) + 60*r.number(meansLimitMinutes) + r.number(meansLimitNano)/1e9
	req.ruled.QOS = r.text(meansQOS)
	r.times(&req)
	if r.bad == nil && req.leftOut == "" {
		r.size(&req)
	}
	return req
}

func (r *tableReader) hasID() bool { return r.table.columns[meansID] != "" }

// times sets when the job ran and how it ended.
func (r *tableRow) times(req *request) {
	state := r.state()
	ended := r.has(meansEnd) || r.has(meansRuntime)
	switch {
	case r.has(meansStart):
		req.start = r.time(meansStart)
		// Slurm's database has 0 for a job that never started.
		req.started = req.start > 0 || req.submit <= 0
	case r.has(meansWait):
		req.start, req.started = req.submit+r.number(meansWait), true
	}
	known := req.started || !r.reader.table.knowsStart()
	if req.runtime = r.number(meansRuntime); !r.has(meansRuntime) && req.started && ended {
		req.runtime = r.time(meansEnd) - req.start
	}
	switch {
	case state == "CANCELLED" && (!known || req.runtime == 0):
		req.started, req.runtime = false, 0
		req.outcome, req.cancelAfter = workloads.CancelledPending, r.number(meansWait)
		if r.has(meansEnd) {
			req.cancelAfter = r.time(meansEnd) - req.submit
		}
		if req.cancelAfter < 1 {
			req.leftOut = neverRan
		}
	case state == "PENDING" || !known:
		req.leftOut = neverRan
	case state == "RUNNING" || state == "SUSPENDED" || !ended:
		req.leftOut = notEnded
	case req.runtime < 0:
		r.fault(meansEnd, "no time before the start")
	default:
		req.outcome, req.unused.state = outcomeOf(state)
	}
}

// knowsStart says whether the table says when jobs start.
func (t *Table) knowsStart() bool { return t.columns[meansStart] != "" || t.columns[meansWait] != "" }

// state is Slurm's word for how the job ended. A trace that does not say it has jobs that completed.
func (r *tableRow) state() string {
	if text := r.text(meansState); text != "" {
		word, _, _ := strings.Cut(text, " ")
		if s, ok := r.reader.table.states[text]; ok {
			word = s
		}
		return strings.ToUpper(word)
	}
	if code := r.text(meansExit); code != "" && strings.Trim(code, "0.:") != "" {
		return "FAILED"
	}
	return "COMPLETED"
}

// size sets what the job asked for. A job with GPUs alone has a core with each.
func (r *tableRow) size(req *request) {
	req.nodes = r.count(meansNodes)
	r.tres(req)
	each := max(1, req.nodes)
	all := func(each, nodes int) int { return size(float64(each) * float64(nodes)) }
	req.cores = max(req.cores, r.count(meansCores), all(r.count(meansCoresPerNode), each), size(math.Ceil(r.number(meansCPUMilli)/1000)))
	req.gpus = max(req.gpus, r.count(meansGPUs), all(r.count(meansGPUsPerNode), each))
	for _, n := range []float64{r.number(meansCores), r.number(meansCoresPerNode), r.number(meansCPUMilli) / 1000} {
		req.unused.coreFraction = req.unused.coreFraction || n != math.Floor(n)
	}
	milli := r.number(meansGPUMilli)
	if milli > 0 {
		req.gpus = max(req.gpus, size(math.Ceil(milli/1000)))
	}
	for _, meaning := range []string{meansGPUs, meansGPUsPerNode} {
		n := r.number(meaning)
		req.unused.gpuFraction = req.unused.gpuFraction || n != math.Floor(n)
	}
	req.unused.gpuFraction = req.unused.gpuFraction || milli > 0 && milli < 1000 && req.gpus > 0
	if req.unused.gpuFraction && req.gpus == each {
		// One GPU of each node, of which the job wants a part.
		req.gpuShare = max(r.number(meansGPUs)/float64(each), r.number(meansGPUsPerNode))
		if milli > 0 {
			req.gpuShare = milli / 1000
		}
	}
	if req.cores == 0 {
		req.cores = req.gpus
	}
	if kind := r.text(meansGPUType); req.gpus > 0 && layout.IsWord(kind) {
		req.recorded.GPUType = kind
	} else {
		// Alternatives, such as V100M16|V100M32, are no type.
		req.unused.gpuType = kind != "" && req.gpus > 0
	}
	if mib := r.count(meansMemory); mib > 0 {
		req.recorded.MemPerNode = mib
	}
	if req.cores == 0 {
		req.leftOut = noCores
	}
}

// tres reads numbers of resources as slurmdbd stores them (slurm_tres.h: TRES_CPU 1, TRES_MEM 2, TRES_NODE 4); those from 1001 on
// are the site's own, and MIT Supercloud has its GPUs there.
func (r *tableRow) tres(req *request) {
	tres, err := values.TRES(r.text(meansTRES))
	if err != nil {
		r.fault(meansTRES, "number=amount pairs separated by commas")
		return
	}
	amount := func(id string) int {
		n, _ := values.Count(tres[id])
		return size(float64(n))
	}
	req.cores, req.nodes, req.gpus = amount("1"), max(req.nodes, amount("4")), amount("1001")+amount("1002")
}

// number is a number from 0, 0 where the trace has none.
func (r *tableRow) number(meaning string) float64 {
	text := r.text(meaning)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		r.fault(meaning, "a number, not negative")
		return 0
	}
	return n
}

// count is a number, rounded up.
func (r *tableRow) count(meaning string) int { return size(math.Ceil(r.number(meaning))) }

// time is seconds: of Unix for a date. A zone is UTC or has its hours: time.Parse takes other names, such as PDT, for UTC.
func (r *tableRow) time(meaning string) float64 {
	text := r.text(meaning)
	if text == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		// Seconds from the start of a trace stay below three years.
		r.reader.dated = r.reader.dated || n > 1e8
		return n
	}
	for _, form := range []string{time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 UTC", "2006/01/02 15:04:05", "2006-01-02 15:04:05.999999999 -0700 MST"} {
		if t, err := time.Parse(form, text); err == nil {
			r.reader.dated = true
			return float64(t.Unix())
		}
	}
	r.fault(meaning, "seconds, or a date such as 2026-03-01 12:00:00, perhaps with T and a zone")
	return 0
}

// checkTable is a fault of a table beside a format that has its own, or of none where one is needed.
func checkTable(format string, t *Table) error {
	switch {
	case format == tableFormat && t == nil:
		return faults.Fault{Field: "columns", Problem: "missing", Allowed: "a file that says what the columns mean"}
	case format != tableFormat && t != nil:
		return faults.Fault{Field: "columns", Problem: "got it with format " + format, Allowed: "it with format " + tableFormat}
	}
	return nil
}

// HasColumns says whether a format needs a Table in the Options.
func HasColumns(format string) bool { return format == tableFormat }

// tableFormat is the format of a trace whose table the user has.
const tableFormat = "csv"
