package check

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// job is what the workload says of a job, in seconds.
type job struct {
	name    string
	runtime int
}

// row is a row of sacct.txt. Times are Unix seconds, 0 if there is none.
type row struct {
	name, state string
	start, end  int64
	cores, gpus int
	nodes       []string
}

// read reads workload.csv and sacct.txt. A run that is not complete may have no
// sacct.txt.
func (j *judge) read() error {
	jobs, err := table(j.dir.WorkloadFile(), ',')
	if err != nil {
		return err
	}
	for _, fields := range jobs {
		runtime, bad := strconv.Atoi(fields["runtime_s"])
		if bad != nil {
			return fmt.Errorf("workload.csv: %w", bad)
		}
		j.jobs = append(j.jobs, job{fields["job_id"], runtime})
	}
	rows, err := table(j.dir.SacctFile(), '|')
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, fields := range rows {
		r := row{name: fields["JobName"], state: fields["State"], start: instant(fields["Start"]), end: instant(fields["End"])}
		if r.cores, err = strconv.Atoi(fields["NCPUS"]); err != nil {
			return fmt.Errorf("sacct.txt: %w", err)
		}
		for part := range strings.SplitSeq(fields["AllocTRES"], ",") {
			if count, found := strings.CutPrefix(part, "gres/gpu="); found {
				if r.gpus, err = strconv.Atoi(count); err != nil {
					return fmt.Errorf("sacct.txt: %w", err)
				}
			}
		}
		// A job that never started has the words "None assigned".
		if r.start > 0 && !strings.Contains(fields["NodeList"], " ") {
			if r.nodes, err = values.ExpandHosts(fields["NodeList"]); err != nil {
				return fmt.Errorf("sacct.txt: %w", err)
			}
		}
		j.rows = append(j.rows, r)
	}
	return nil
}

// table reads a file with a header into fields by their names.
func table(path string, comma rune) ([]map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes = comma, true
	lines, err := reader.ReadAll()
	if err == nil && len(lines) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		fields := map[string]string{}
		for i, name := range lines[0] {
			fields[name] = line[i]
		}
		rows = append(rows, fields)
	}
	return rows, nil
}

func instant(text string) int64 {
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		return 0
	}
	return at.Unix()
}

// change is what a job takes or gives back at an instant.
type change struct {
	at          int64
	cores, gpus int
	nodes       []string
}

// oversold is invariant 4. Which cores of a node a job has, sacct does not say; a job
// has at least one on each of its nodes.
func (j *judge) oversold() {
	var changes []change
	for _, r := range j.rows {
		if r.start == 0 || r.end <= r.start || len(r.nodes) == 0 {
			continue
		}
		changes = append(changes, change{r.start, r.cores, r.gpus, r.nodes}, change{r.end, -r.cores, -r.gpus, r.nodes})
	}
	// What ends in a second makes room for what starts in it.
	slices.SortFunc(changes, func(a, b change) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.cores - b.cores
	})
	m := j.run.Machine
	cores, gpus := 0, 0
	nodeCores, nodeGPUs := map[string]int{}, map[string]int{}
	for _, c := range changes {
		cores, gpus = cores+c.cores, gpus+c.gpus
		if cores > m.Nodes*m.Cores || gpus > m.Nodes*m.GPUs {
			j.breaks(4, "%d cores and %d GPUs are in use at %s, the machine has %d and %d", cores, gpus, when(c.at), m.Nodes*m.Cores, m.Nodes*m.GPUs)
			return
		}
		for _, n := range c.nodes {
			// Of a job on several nodes the least is known: one core of each, and an even
			// share of its GPUs, which are asked for per node.
			share := min(max(c.cores, -1), 1)
			if len(c.nodes) == 1 {
				share = c.cores
			}
			nodeCores[n] += share
			nodeGPUs[n] += c.gpus / len(c.nodes)
			if nodeCores[n] > m.Cores || nodeGPUs[n] > m.GPUs {
				j.breaks(4, "%d cores and %d GPUs of node %s are in use at %s, it has %d and %d", nodeCores[n], nodeGPUs[n], n, when(c.at), m.Cores, m.GPUs)
				return
			}
		}
	}
}

func when(at int64) string { return time.Unix(at, 0).UTC().Format("15:04:05") }
