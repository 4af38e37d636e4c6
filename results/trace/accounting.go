package trace

import (
	"errors"
	"io/fs"

	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// Accounting reads workload.csv and sacct.txt of a run in any state, not joined. The
// rows are nil when there is no sacct.txt, as in a run that was killed.
func (d Dir) Accounting() ([]workloads.Job, []accounting.Row, error) {
	jobs, err := readFile(d, "workload.csv", workloads.ReadCSV)
	if err != nil {
		return nil, nil, err
	}
	rows, err := readFile(d, "sacct.txt", accounting.ReadSacct)
	if errors.Is(err, fs.ErrNotExist) {
		return jobs, nil, nil
	}
	return jobs, rows, err
}
