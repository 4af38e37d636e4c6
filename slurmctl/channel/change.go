package channel

import (
	"context"
	"fmt"
	"strconv"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Cancel cancels jobs as scancel does, each as its owner. Jobs that ended or never existed are ignored.
func (h *Helper) Cancel(ctx context.Context, ids ...int) error {
	if len(ids) == 0 {
		return nil
	}
	question := []string{"cancel"}
	for _, id := range ids {
		question = append(question, strconv.Itoa(id))
	}
	// Who is cancelled twice is cancelled once.
	_, err := h.Ask(ctx, question...)
	return err
}

// Annotate has the meaning of slurmctl.Client.Annotate.
func (h *Helper) Annotate(ctx context.Context, id int, text string) error {
	_, err := h.Ask(ctx, "note", strconv.Itoa(id), text)
	return err
}

// End tells Slurm that a job has ended with an exit code, that of wait(2). It says whether the job had not ended
// before.
func (h *Helper) End(ctx context.Context, id, code int) (ended bool, err error) {
	a, err := h.Ask(ctx, "end", strconv.Itoa(id), strconv.Itoa(code))
	return a.Count > 0, err
}

// Known has the meaning of slurmctl.Client.Known.
func (h *Helper) Known(ctx context.Context) (map[string]int, error) {
	a, err := h.Ask(ctx, "known")
	if err != nil {
		return nil, err
	}
	bad := func(what any) error {
		h.Drop(a.Life)
		return fmt.Errorf("read known jobs: got %q, want %d rows of an id and a name", what, a.Count)
	}
	if len(a.Rows) != a.Count {
		return nil, bad(a.Rows)
	}
	ids := make(map[string]int, a.Count)
	for _, row := range a.Rows {
		if row.Word != "known" || len(row.Cells) != 2 {
			return nil, bad(row)
		}
		id, ok := values.Count(row.Cells[0])
		if !ok || id == 0 {
			return nil, bad(row)
		}
		ids[row.Cells[1]] = max(ids[row.Cells[1]], id)
	}
	return ids, nil
}

// Submit submits through the Helper, as the methods below do: the Client's methods start a program.
func (r *Reader) Submit(ctx context.Context, request sbatch.Request) (int, error) {
	return r.Helper.Submit(ctx, request)
}

// Cancel cancels through the Helper.
func (r *Reader) Cancel(ctx context.Context, ids ...int) error { return r.Helper.Cancel(ctx, ids...) }

// Annotate annotates through the Helper.
func (r *Reader) Annotate(ctx context.Context, id int, text string) error {
	return r.Helper.Annotate(ctx, id, text)
}

// Known asks through the Helper.
func (r *Reader) Known(ctx context.Context) (map[string]int, error) { return r.Helper.Known(ctx) }
