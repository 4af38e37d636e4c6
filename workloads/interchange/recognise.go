package interchange

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// LooksLikeSacct says whether a text begins as what sacct prints: an object of JSON, or a header with the id of a job. A
// header that lacks other fields is Import's to complain of.
func LooksLikeSacct(src records.Source) (bool, error) {
	is := false
	err := src.Read(nil, func(in io.Reader) error {
		text := bufio.NewReaderSize(in, 1<<16)
		if is = records.IsJSON(text); is {
			return nil
		}
		line, err := records.NewLines(src.Name, text).Filled()
		var long *faults.Fault
		switch {
		case errors.Is(err, io.EOF), errors.As(err, &long):
			return nil
		case err != nil:
			return err
		}
		table, notTable := accounting.NewTable(string(line))
		is = notTable == nil && slices.ContainsFunc(table.Names, records.IsID)
		return nil
	})
	return is, err
}
