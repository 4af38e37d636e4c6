package channel

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Submit submits a batch job as "sbatch" does and returns its id. The script must be a
// text, its tasks have a CPU each, and what it prints goes nowhere. After an error that wraps slurmctl.ErrUnavailable Slurm may have the job.
func (h *Helper) Submit(ctx context.Context, r sbatch.Request) (int, error) {
	id, err := h.submit(ctx, r)
	if err != nil {
		return 0, fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	return id, nil
}

func (h *Helper) submit(ctx context.Context, r sbatch.Request) (int, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	if r.Script == "" || r.CPUsPerTask > 1 || r.Output != "" {
		return 0, errors.New("script: want a text, with one CPU for each task and without an output")
	}
	a, err := h.AskOnce(ctx, submission(r)...)
	var refused *slurmctl.RefusedError
	if errors.As(err, &refused) {
		refused.Command = strings.Join(r.Argv(), " ")
		refused.Message = strings.ReplaceAll(refused.Message, program+": error: ", "")
		return 0, refused
	}
	if err != nil {
		return 0, err
	}
	id := 0
	if a.Count == 1 && len(a.Rows) == 1 && a.Rows[0].Word == "submitted" && len(a.Rows[0].Cells) == 1 {
		id, _ = values.Count(a.Rows[0].Cells[0])
	}
	if id == 0 {
		h.Drop(a.Life)
		return 0, fmt.Errorf("got %q, want a row submitted with a job id", a.Rows)
	}
	return id, nil
}

// submission has the cells that helper/submit.c reads.
func submission(r sbatch.Request) []string {
	return append(append([]string{"submit"}, r.Cells()...), "command="+strings.Join(r.Argv(), " "), "script="+r.Script)
}
