package channel

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Submit submits a batch job as "sbatch" does and returns its id. The script must be a
// text. After an error that wraps slurmctl.ErrUnavailable Slurm may have the job.
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
	if r.Script == "" {
		return 0, errors.New("script: want a text")
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
	flag := map[bool]string{true: "1", false: "0"}
	begin := "0"
	if !r.Begin.IsZero() {
		begin = strconv.FormatInt(r.Begin.Unix(), 10)
	}
	return []string{
		"submit", r.Name, strconv.Itoa(r.Tasks), strconv.Itoa(r.Nodes), strconv.Itoa(max(r.Nodes, r.NodesMax)),
		strconv.Itoa(r.TasksPerNode), tresPerNode(r), flag[r.Contiguous], r.Account,
		r.Partition, strconv.Itoa(r.MemPerNode), strconv.Itoa(r.MemPerCPU), r.Features, flag[r.Exclusive],
		r.QOS, r.Licenses, r.Reservation, r.NodeList, r.User,
		strconv.Itoa(r.Nice), strconv.Itoa(r.Priority), strconv.Itoa(int(r.TimeLimit / time.Minute)), flag[r.Hold], r.Dependencies(), begin,
		strings.Join(r.Argv(), " "), r.Script,
	}
}

// tresPerNode is what sbatch makes of --gres.
func tresPerNode(r sbatch.Request) string {
	if r.GRES() == "" {
		return ""
	}
	return "gres/" + r.GRES()
}
