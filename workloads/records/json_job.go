package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SubmitLine is a field whose values may have line ends, as they are what users wrote.
const SubmitLine = "SubmitLine"

// SegmentSize is a field that sacct has from Slurm 25.05 on.
const SegmentSize = "SegmentSize"

// JSONJob is a job of "sacct --json" (JOB in src/plugins/data_parser/v0.0.43/parsers.c). Numbers are plain ones up to Slurm 22.05, and may be objects
// later; the state was one word.
type JSONJob struct {
	JobID           JSONNumber `json:"job_id"`
	Account         string     `json:"account"`
	User            string     `json:"user"`
	Partition       string     `json:"partition"`
	Nodes           string     `json:"nodes"`
	Constraints     string     `json:"constraints"`
	Licenses        string     `json:"licenses"`
	QOS             string     `json:"qos"`
	SubmitLine      string     `json:"submit_line"`
	SegmentSize     JSONNumber `json:"segment_size"`
	AllocationNodes JSONNumber `json:"allocation_nodes"`
	Array           struct {
		JobID  JSONNumber `json:"job_id"`
		TaskID JSONNumber `json:"task_id"`
		Task   string     `json:"task"`
		Limits struct {
			Max struct {
				Running struct {
					Tasks JSONNumber `json:"tasks"`
				} `json:"running"`
			} `json:"max"`
		} `json:"limits"`
	} `json:"array"`
	Association struct {
		Account string `json:"account"`
		User    string `json:"user"`
	} `json:"association"`
	Het struct {
		JobID  JSONNumber `json:"job_id"`
		Offset JSONNumber `json:"job_offset"`
	} `json:"het"`
	Time struct {
		Elapsed    JSONNumber `json:"elapsed"`
		Eligible   JSONNumber `json:"eligible"`
		End        JSONNumber `json:"end"`
		Start      JSONNumber `json:"start"`
		Submission JSONNumber `json:"submission"`
		Limit      JSONNumber `json:"limit"`
	} `json:"time"`
	State struct {
		Current jsonState `json:"current"`
		Reason  string    `json:"reason"`
	} `json:"state"`
	Required struct {
		CPUs   JSONNumber `json:"CPUs"`
		PerCPU JSONNumber `json:"memory_per_cpu"`
		// PerNode is MiB, as PerCPU. Memory was either, up to Slurm 22.05: the highest bit says that it is for a CPU.
		PerNode JSONNumber `json:"memory_per_node"`
		Memory  JSONNumber `json:"memory"`
	} `json:"required"`
	TRES struct {
		Allocated jsonTRES `json:"allocated"`
		Requested jsonTRES `json:"requested"`
	} `json:"tres"`
	Reservation struct {
		Name string `json:"name"`
	} `json:"reservation"`
}

// JSONNumber is a number, or an object with set, infinite and number. It is 0 if not set.
type JSONNumber struct {
	n             uint64
	set, infinite bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *JSONNumber) UnmarshalJSON(text []byte) error {
	*n = JSONNumber{}
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	if text[0] != '{' {
		value, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
		if err != nil {
			return fmt.Errorf("got %.40s, allowed a whole number from 0", text)
		}
		*n = JSONNumber{n: value, set: true}
		return nil
	}
	var o struct {
		Set      *bool       `json:"set"`
		Infinite bool        `json:"infinite"`
		Number   json.Number `json:"number"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	n.set, n.infinite = (o.Set == nil || *o.Set) && !o.Infinite, o.Infinite
	if !n.set || o.Number == "" {
		return nil
	}
	value, err := strconv.ParseFloat(o.Number.String(), 64)
	if err != nil || value < 0 || value >= math.MaxUint64 {
		return fmt.Errorf("got %.40s, allowed a number from 0", o.Number)
	}
	n.n = uint64(value)
	return nil
}

// or is the number, or the other one if it is 0.
func (n JSONNumber) or(other uint64) uint64 {
	if n.n > 0 {
		return n.n
	}
	return other
}

// Text is the number in digits, or otherwise if it is 0.
func (n JSONNumber) Text(otherwise string) string {
	if n.n == 0 {
		return otherwise
	}
	return strconv.FormatUint(n.n, 10)
}

// jsonState is a state in words, of which the first one is not a flag.
type jsonState string

// UnmarshalJSON implements json.Unmarshaler.
func (s *jsonState) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = jsonState(one)
		return nil
	}
	var all []string
	err := json.Unmarshal(text, &all)
	if len(all) > 0 {
		*s = jsonState(all[0])
	}
	return err
}

// jsonTRES are amounts of trackable resources.
type jsonTRES []struct {
	Type  string      `json:"type"`
	Name  string      `json:"name"`
	Count json.Number `json:"count"`
}

// text is the list as "sacct -P" prints it: "cpu=8,mem=16384M,gres/gpu:a100=2". Energy and such, which jobs do not ask for, are left out.
func (t jsonTRES) text() string {
	var list []string
	for _, r := range t {
		switch name := strings.ToLower(r.Type); name {
		case "mem":
			list = append(list, "mem="+r.Count.String()+"M")
		case "cpu", "node":
			list = append(list, name+"="+r.Count.String())
		case "gres":
			list = append(list, "gres/"+strings.ToLower(r.Name)+"="+r.Count.String())
		}
	}
	return strings.Join(list, ",")
}

// count is the amount of a resource.
func (t jsonTRES) count(kind string) uint64 {
	for _, r := range t {
		if strings.EqualFold(r.Type, kind) {
			n, _ := strconv.ParseUint(r.Count.String(), 10, 32)
			return n
		}
	}
	return 0
}

// JSONFields are the fields of sacct(1) that a job of JSON becomes, and where each comes from.
func JSONFields() [][2]string {
	return [][2]string{
		{"JobIDRaw", "job_id"}, {"State", "state.current"}, {"Submit", "time.submission"}, {"Start", "time.start"}, {"End", "time.end"}, {"ElapsedRaw", "time.elapsed"},
		{"TimelimitRaw", "time.limit"}, {"NNodes", "allocation_nodes"}, {"NCPUS", "required.CPUs"}, {"ReqTRES", "tres.requested"}, {"AllocTRES", "tres.allocated"},
		{"User", "user"}, {"Partition", "partition"}, {"ReqMem", "required.memory"}, {"Constraints", "constraints"}, {"Account", "account"}, {"QOS", "qos"},
		{"Eligible", "time.eligible"}, {"Reason", "state.reason"}, {"Licenses", "licenses"}, {"Reservation", "reservation.name"}, {"JobID", "array"}, {"NodeList", "nodes"},
		{SubmitLine, "submit_line"}, {SegmentSize, "segment_size"},
	}
}

// Fields has the values of jsonFields, as "sacct -P" prints them with SLURM_TIME_FORMAT=%s.
func (j *JSONJob) Fields() []string {
	id := j.JobID.Text("0")
	user, account := j.User, j.Account
	if user == "" {
		user = j.Association.User
	}
	if account == "" {
		account = j.Association.Account
	}
	nodes := j.AllocationNodes.or(j.TRES.Allocated.count("node"))
	if nodes == 0 {
		nodes = j.TRES.Requested.count("node")
	}
	cpus := j.TRES.Allocated.count("cpu")
	if cpus == 0 {
		cpus = j.Required.CPUs.n
	}
	limit := j.Time.Limit.Text("")
	if j.Time.Limit.infinite {
		limit = "UNLIMITED"
	}
	return []string{
		id, string(j.State.Current), j.Time.Submission.Text(""), j.Time.Start.Text(""), j.Time.End.Text(""), j.Time.Elapsed.Text("0"),
		limit, strconv.FormatUint(nodes, 10), strconv.FormatUint(cpus, 10), j.TRES.Requested.text(), j.TRES.Allocated.text(),
		user, j.Partition, j.memory(), j.Constraints, account, j.QOS,
		j.Time.Eligible.Text("Unknown"), j.State.Reason, j.Licenses, j.Reservation.Name, j.name(id), j.Nodes,
		j.line(), j.segment(),
	}
}

func (j *JSONJob) memory() string {
	const perCPU = 1 << 63
	switch {
	case j.Required.PerCPU.n > 0:
		return j.Required.PerCPU.Text("") + "Mc"
	case j.Required.PerNode.n > 0:
		return j.Required.PerNode.Text("") + "Mn"
	case j.Required.Memory.n >= perCPU:
		return strconv.FormatUint(j.Required.Memory.n-perCPU, 10) + "Mc"
	case j.Required.Memory.n > 0:
		return j.Required.Memory.Text("") + "Mn"
	}
	return ""
}

// name is JobID of sacct(1) for an array's task, for tasks that have no job yet, and for a component of a heterogeneous job.
func (j *JSONJob) name(id string) string {
	switch {
	case j.Array.JobID.n > 0 && j.Array.TaskID.set:
		return j.Array.JobID.Text("") + "_" + j.Array.TaskID.Text("0")
	case j.Array.JobID.n > 0 && j.Array.Task != "":
		return j.Array.JobID.Text("") + "_[" + j.Array.Task + "]"
	case j.Het.JobID.n > 0:
		return j.Het.JobID.Text("") + "+" + j.Het.Offset.Text("0")
	}
	return id
}

// line is the line of sbatch, whose first option has the limit of an array.
func (j *JSONJob) line() string {
	if most := j.Array.Limits.Max.Running.Tasks; most.n > 0 {
		return "sbatch --array=%" + most.Text("") + " " + j.SubmitLine
	}
	return j.SubmitLine
}

// segment is SegmentSize, which JSON has from Slurm 25.05 on.
func (j *JSONJob) segment() string {
	if !j.SegmentSize.set {
		return ""
	}
	return j.SegmentSize.Text("0")
}
