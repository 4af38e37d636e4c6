package workloads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// column is a column of workload.csv.
type column struct {
	name string
	// about says in Markdown what it means, for docs/reference.
	about string
	// of is where a job has the value, nil for a column of Options or Terms, which has an option.
	of     func(*Job) sbatch.Value
	option *sbatch.Option
	// public says that texts of the column name nothing of a site.
	public bool
}

// value is where the job has the value.
func (c column) value(j *Job) sbatch.Value {
	if c.of == nil {
		return c.option.Of(&j.Options, &j.Terms)
	}
	return c.of(j)
}

// ownColumns is the number of columns that every workload has, which are the first ones.
const ownColumns = 11

// allColumns are those that a workload.csv can have, in their order.
func allColumns() []column {
	count := func(of func(*Job) *int) func(*Job) sbatch.Value {
		return func(j *Job) sbatch.Value { return (*sbatch.Count)(of(j)) }
	}
	all := []column{
		{name: "job_id", of: count(func(j *Job) *int { return &j.ID }),
			about: "number of the job, each once; Slurm has it as the name of the job"},
		{name: "arrival_s", of: count(func(j *Job) *int { return &j.Arrival }),
			about: "seconds from the start of the run to the submission"},
		{name: "runtime_s", of: count(func(j *Job) *int { return &j.Runtime }),
			about: "seconds that the job runs; the scheduler is not told"},
		{name: "limit_s", of: count(func(j *Job) *int { return &j.Limit }),
			about: "time limit (`--time`); the scheduler gets whole minutes, rounded up"},
		{name: "nodes", of: count(func(j *Job) *int { return &j.Nodes }), about: "nodes (`-N`), with `nodes_max` the least"},
		{name: "cores", of: count(func(j *Job) *int { return &j.Cores }), about: "cores over all nodes (`-n`); every job has them"},
		{name: "cores_per_node", of: count(func(j *Job) *int { return &j.CoresPerNode }),
			about: "cores on each node (`--ntasks-per-node`)"},
		{name: "gpus_min", of: count(func(j *Job) *int { return &j.GPUsMin }),
			about: "GPUs on each node (`--gres=gpu:N`), of a range the least"},
		{name: "gpus_max", of: count(func(j *Job) *int { return &j.GPUsMax }), about: "the same number, or the most of a range"},
		{name: "contiguous", of: func(j *Job) sbatch.Value { return (*sbatch.Flag)(&j.Contiguous) },
			about: "1 if the nodes must be neighbours (`--contiguous`)"},
		{name: "class", public: true, of: func(j *Job) sbatch.Value { return (*sbatch.Text)(&j.Class) },
			about: "type of the job, a word for tables"},
		{name: "user", of: func(j *Job) sbatch.Value { return (*sbatch.Text)(&j.User) },
			about: "who submits the job; without `account` it is a Slurm account of that name"},
		{name: "nodes_max", of: count(func(j *Job) *int { return &j.NodesMax }), about: "the most nodes of a range (`-N 2-4`)"},
		{name: "outcome", of: func(j *Job) sbatch.Value { return (*outcomeValue)(&j.Outcome) },
			about: "[how the job ends](../my-jobs.md#how-jobs-end): completed, failed, timeout, cancelled, out_of_memory or cancelled_pending"},
		{name: "cancel_after_s", of: count(func(j *Job) *int { return &j.CancelAfter }),
			about: "seconds from the submission of a cancelled_pending job to its cancellation"},
	}
	for _, o := range sbatch.Columns() {
		all = append(all, column{name: o.Name, about: o.About, option: &o, public: o.Public})
	}
	return append(all, pastColumns()...)
}

// pastColumns are those of Past.
func pastColumns() []column {
	return []column{
		{name: "waited_s", of: func(j *Job) sbatch.Value { return (*sbatch.Count)(&j.Waited) },
			about: "seconds that the job had waited when the [time window](../import.md) began with which the workload begins"},
		{name: "ran_s", of: func(j *Job) sbatch.Value { return (*sbatch.Count)(&j.Ran) },
			about: "seconds that it had run then; its run time and limit are what is left"},
	}
}

// AboutColumns are the columns that a workload.csv can have, in their order, and in Markdown what each means.
func AboutColumns() (names []string, meanings map[string]string) {
	meanings = map[string]string{}
	for _, c := range allColumns() {
		names, meanings[c.name] = append(names, c.name), c.about
	}
	return names, meanings
}

// PublicColumns are those whose values name nothing of a site: numbers, flags, and words that all sites have.
func PublicColumns() []string {
	var names []string
	var j Job
	for _, c := range allColumns() {
		if _, text := c.value(&j).(*sbatch.Text); !text || c.public {
			names = append(names, c.name)
		}
	}
	return names
}

// Columns lists the columns of a workload.csv. Beside the ones that each has they are there only if a job has what they say. The zero
// value has none but these.
type Columns struct {
	// all is nil in the zero value; there says for each of them whether the file has it.
	all   []column
	there []bool
}

// Need adds the columns of what a job asks for.
func (c *Columns) Need(j Job) {
	if c.all == nil {
		*c = ownAlone()
	}
	for i, each := range c.all {
		c.there[i] = c.there[i] || each.value(&j).Asked()
	}
}

func ownAlone() Columns {
	c := Columns{all: allColumns()}
	c.there = make([]bool, len(c.all))
	for i := range ownColumns {
		c.there[i] = true
	}
	return c
}

// HasDependencies says whether a job has a Dependency.
func (c Columns) HasDependencies() bool {
	at := slices.IndexFunc(c.all, func(each column) bool { return each.name == "dependency" })
	return at >= 0 && c.there[at]
}

// list returns the columns that c has.
func (c Columns) list() []column {
	if c.all == nil {
		c = ownAlone()
	}
	var list []column
	for i, each := range c.all {
		if c.there[i] {
			list = append(list, each)
		}
	}
	return list
}

// ColumnsOf are the columns that the jobs need.
func ColumnsOf(jobs []Job) Columns {
	c := ownAlone()
	for _, j := range jobs {
		c.Need(j)
	}
	return c
}

// CSVHeader is the first line of workload.csv after its comments.
func CSVHeader(c Columns) string {
	var names []string
	for _, each := range c.list() {
		names = append(names, each.name)
	}
	return strings.Join(names, ",")
}

// columnsOf lists the columns of a file with such a header; ok is false for a line that is none.
func columnsOf(header string) (list []column, ok bool) {
	names := strings.Split(header, ",")
	for i, each := range allColumns() {
		if i < ownColumns || slices.Contains(names, each.name) {
			list = append(list, each)
		}
	}
	return list, slices.EqualFunc(list, names, func(c column, name string) bool { return c.name == name })
}

// headerFault is the fault of a file whose first line after the comments is row: the first column that is wrong. The page names
// all columns, which are too many for a message.
func headerFault(row string) faults.Fault {
	const page = "docs/reference/files.md#workloadcsv"
	names, all := strings.Split(row, ","), make([]string, 0, len(allColumns()))
	for _, each := range allColumns() {
		all = append(all, each.name)
	}
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(all, name) })
	missing := slices.DeleteFunc(slices.Clone(all[:ownColumns]), func(name string) bool { return slices.Contains(names, name) })
	switch {
	case len(unknown) == len(names) && faults.Nearest(unknown[0], all) == "":
		return faults.At("header", faults.Got(row), "names of columns, as in "+page)
	case len(unknown) > 0:
		return faults.At("header", "got the column "+faults.Quote(unknown[0])+more(unknown), "the columns of "+page+faults.DidYouMean(unknown[0], all))
	case len(missing) > 0:
		return faults.At("header", "got no column "+missing[0]+more(missing), fmt.Sprintf("the first %d columns of %s in each file", ownColumns, page))
	}
	list, _ := columnsOf(row)
	at := 0
	for at < len(list) && list[at].name == names[at] {
		at++
	}
	if at == len(list) {
		return faults.At("header", fmt.Sprintf("got %s as column %d", names[at], at+1), "each column once")
	}
	return faults.At("header", fmt.Sprintf("got %s as column %d", names[at], at+1), list[at].name+" there, in the order of "+page)
}

// more counts the names after the first.
func more(names []string) string {
	if len(names) == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", len(names)-1)
}

// AppendCSV appends the job's row of a workload.csv with such columns, and its line
// feed. The job is not checked.
func (j Job) AppendCSV(row []byte, c Columns) []byte {
	if c.all == nil {
		c = ownAlone()
	}
	for i, each := range c.all {
		if !c.there[i] {
			continue
		}
		if i > 0 {
			row = append(row, ',')
		}
		row = each.value(&j).Append(row)
	}
	return append(row, '\n')
}

// csvRow reads the job of a row. What can be known of the job itself is not checked.
func csvRow(row string, columns []column) (Job, []faults.Fault) {
	cells := strings.Split(row, ",")
	if len(cells) != len(columns) {
		return Job{}, []faults.Fault{faults.At("row", faults.Got(len(cells))+" columns", strconv.Itoa(len(columns)))}
	}
	var j Job
	var out []faults.Fault
	for i, each := range columns {
		if allowed := each.value(&j).Set(cells[i]); allowed != "" {
			out = append(out, faults.At(each.name, faults.Got(cells[i]), allowed))
		}
	}
	return j, out
}
