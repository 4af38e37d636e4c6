package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// laterColumns is how many of the last JobsColumns files of earlier versions lack.
const laterColumns = 2

// ReadJobsCSV reads what WriteJobsCSV writes and returns the name of the
// workload (empty when there are no rows) and the records. Every column must
// agree with those it follows from, so that a file that somebody edited by hand is
// refused.
func ReadJobsCSV(r io.Reader, name string) (workloadName string, records []JobRecord, err error) {
	bad := faults.List{Name: name}
	err = readCSV(r, name, JobsColumns(), laterColumns, func(row csvRow) {
		before := bad.Len()
		row.bad = &bad
		record := row.jobRecord()
		if len(records) == 0 {
			workloadName = row.text("workload_name")
		}
		records = append(records, record)
		if bad.Len() > before {
			return
		}
		for i, want := range jobFields(workloadName, record)[:len(row.fields)] {
			if row.fields[i] != want {
				row.fault(JobsColumns()[i], fmt.Sprintf("want %q, which follows from the other columns", want))
			}
		}
	})
	if err == nil {
		err = bad.Err()
	}
	if err != nil {
		return "", nil, err
	}
	return workloadName, records, nil
}

func (r csvRow) jobRecord() JobRecord {
	var record JobRecord
	record.ID = r.count("job_id")
	if r.text("requested_time") != strconv.Itoa(unknown) {
		record.Limit = r.count("requested_time")
	}
	record.Submit = r.number("submission_time")
	record.Start = r.number("starting_time")
	record.Finish = r.number("finish_time")
	allocated, err := parseIntervals(r.text("allocated_resources"))
	if err != nil {
		r.fault("allocated_resources", err.Error())
	}
	record.Allocated = allocated
	record.Cores = r.count("cores")
	record.Nodes = r.count("nodes")
	record.CoresPerNode = r.count("cores_per_node")
	record.Contiguous = r.flag("contiguous")
	record.Class = r.text("class")
	fragmentation := r.number("fragmentation")
	if fragmentation != math.Trunc(fragmentation) || math.Abs(fragmentation) > maxNodes {
		r.fault("fragmentation", "want a whole number of blocks")
	}
	record.Fragmentation = int(fragmentation)
	record.Spread = r.number("spread")
	record.Packing = r.number("packing")
	record.SlurmPartition, record.SlurmAccount = r.later("partition"), r.later("account")
	r.metadata(&record.FinishedJob)
	return record
}

// metadata fills in the fields of job that have no column of their own.
func (r csvRow) metadata(job *FinishedJob) {
	pairs := strings.Split(r.text("metadata"), ";")
	numbers := map[string]*int{
		"slurm_id": &job.SlurmID, "arrival_s": &job.Arrival, "runtime_s": &job.Runtime,
		"nodes_max": &job.NodesMax, "gpus_min": &job.GPUsMin, "gpus_max": &job.GPUsMax,
		"alloc_cores": &job.AllocCores, "alloc_gpus": &job.AllocGPUs, "cancel_after_s": &job.CancelAfter,
	}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "state":
			job.State = value
			continue
		case "user":
			job.User = value
			continue
		case "slurm_qos":
			job.SlurmQOS = value
			continue
		case "outcome":
			outcome, err := workloads.ParseOutcome(value)
			if err != nil {
				r.fault("metadata", fmt.Sprintf("outcome: %v", err))
			}
			job.Outcome = outcome
			continue
		case allocTypes:
			for part := range strings.SplitSeq(value, "+") {
				name, count, _ := strings.Cut(part, ":")
				n, err := strconv.Atoi(count)
				if err != nil || n < 1 {
					r.fault("metadata", fmt.Sprintf("%q: want TYPE:COUNT", part))
				}
				job.AllocTypes = append(job.AllocTypes, layout.GPU{Type: name, Count: n})
			}
			continue
		}
		if known, allowed := job.Set(key, value); known {
			if allowed != "" {
				r.fault("metadata", fmt.Sprintf("%q: want %s", pair, allowed))
			}
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		target, known := numbers[key]
		if err != nil || !known {
			r.fault("metadata", fmt.Sprintf("%q: want a known name and a whole number", pair))
			return
		}
		*target = int(n)
	}
}

// readCSV checks the header, whose last columns may be missing together, as many as later says, and calls each for
// every further record.
func readCSV(r io.Reader, name string, header []string, later int, each func(csvRow)) error {
	records := csv.NewReader(r)
	column := make(map[string]int, len(header))
	for i, h := range header {
		column[h] = i
	}
	for first := true; ; first = false {
		fields, err := records.Read()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if first && (errors.Is(err, io.EOF) || err == nil && !slices.Equal(fields, header) && !slices.Equal(fields, header[:len(header)-later])) {
			return fmt.Errorf("%s:1: header: want %s", name, strings.Join(header, ","))
		}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return fmt.Errorf("%s:%d: %w", name, parse.Line, parse.Err)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if !first {
			line, _ := records.FieldPos(0)
			each(csvRow{fields: fields, column: column, line: line})
		}
	}
}

// csvRow reads the fields of one record by name and collects faults.
type csvRow struct {
	fields []string
	column map[string]int
	line   int
	bad    *faults.List
}

func (r csvRow) text(column string) string { return r.fields[r.column[column]] }

// later is the text of a column that may be missing.
func (r csvRow) later(column string) string {
	if r.column[column] >= len(r.fields) {
		return ""
	}
	return r.text(column)
}

func (r csvRow) fault(column, want string) {
	r.bad.Addf(r.line, "column %s: %q: %s", column, r.text(column), want)
}

// count reads a whole number that is not negative.
func (r csvRow) count(column string) int {
	n, err := strconv.ParseUint(r.text(column), 10, 31)
	if err != nil {
		r.fault(column, "want a whole number, not negative")
	}
	return int(n)
}

func (r csvRow) flag(column string) bool {
	switch r.text(column) {
	case "0":
		return false
	case "1":
		return true
	}
	r.fault(column, "want 0 or 1")
	return false
}

func (r csvRow) number(column string) float64 {
	v, err := strconv.ParseFloat(r.text(column), 64)
	// v-v is zero for finite numbers only.
	if err != nil || v-v != 0 {
		r.fault(column, "want a number")
	}
	return v
}

// maxNodes bounds the node indices that parseIntervals accepts, so that a damaged
// range cannot exhaust memory. Slurm itself refuses more than 65533 nodes
// (MAX_SLURM_NODES is 64k).
const maxNodes = 1 << 16

// parseIntervals reads what intervals writes.
func parseIntervals(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var list []int
	for item := range strings.SplitSeq(s, " ") {
		low, high, isRange := strings.Cut(item, "-")
		first, err := strconv.ParseUint(low, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%q is no node index from 0 to %d", low, maxNodes-1)
		}
		last := first
		if isRange {
			if last, err = strconv.ParseUint(high, 10, 16); err != nil {
				return nil, fmt.Errorf("%q is no node index from 0 to %d", high, maxNodes-1)
			}
		}
		if last < first || len(list) > 0 && int(first) <= list[len(list)-1] {
			return nil, fmt.Errorf("interval %q does not ascend", item)
		}
		for n := first; n <= last; n++ {
			list = append(list, int(n))
		}
	}
	return list, nil
}
