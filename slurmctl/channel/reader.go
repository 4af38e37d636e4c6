package channel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Reader reads Slurm's state through a Helper. Its methods have the meaning and the results of the methods of
// slurmctl.Client, which it embeds. It is safe for concurrent use.
type Reader struct {
	*slurmctl.Client
	*Helper

	mu    sync.Mutex
	jobs  picture[queued]
	nodes picture[slurmctl.NodeRecord]
}

// queued is a job in the queue, and for whom it runs.
type queued struct {
	slurmctl.QueuedJob
	charge slurmctl.Charge
}

// chargeCells are the cells of a job after the ones of slurmctl.QueuedCells.
const chargeCells = 3

// NewReader returns a Reader whose helper and commands have the environment of shell.
// An answer takes at most timeout, in real time. Nothing is started yet.
func NewReader(shell *slurmctl.Exec, timeout time.Duration) *Reader {
	return &Reader{Client: &slurmctl.Client{Runner: shell}, Helper: NewHelper(shell, timeout)}
}

// Queue reads all pending, running, suspended and completing jobs, by ascending id.
func (r *Reader) Queue(ctx context.Context) ([]slurmctl.QueuedJob, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := refresh(ctx, r.Helper, &r.jobs, "jobs", "job", readQueued); err != nil {
		return nil, err
	}
	jobs := make([]slurmctl.QueuedJob, 0, len(r.jobs.all))
	for _, j := range r.jobs.inOrder() {
		jobs = append(jobs, j.QueuedJob)
	}
	return jobs, nil
}

// Charges reads for whom every job in the queue runs, by job id.
func (r *Reader) Charges(ctx context.Context) (map[int]slurmctl.Charge, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := refresh(ctx, r.Helper, &r.jobs, "jobs", "job", readQueued); err != nil {
		return nil, err
	}
	charges := make(map[int]slurmctl.Charge, len(r.jobs.all))
	for id, j := range r.jobs.all {
		charges[id] = j.charge
	}
	return charges, nil
}

// Nodes reads all nodes, in the order of Slurm's node table.
func (r *Reader) Nodes(ctx context.Context) ([]slurmctl.NodeRecord, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	read := func(cells []string) (slurmctl.NodeRecord, error) { return slurmctl.ReadNode(cells[1:]) }
	if err := refresh(ctx, r.Helper, &r.nodes, "nodes", "node", read); err != nil {
		return nil, err
	}
	return r.nodes.inOrder(), nil
}

// refresh asks for what has changed in a picture.
func refresh[T any](ctx context.Context, h *Helper, p *picture[T], question, word string, read func([]string) (T, error)) error {
	a, err := h.Ask(ctx, question)
	if err != nil {
		return err
	}
	if err := p.apply(a, word, read); err != nil {
		h.Drop(a.Life)
		return fmt.Errorf("read %s: %w", question, err)
	}
	return nil
}

func readQueued(cells []string) (queued, error) {
	last := slurmctl.QueuedCells()
	if len(cells) != last+chargeCells {
		return queued{}, fmt.Errorf("job %s has %d cells, want %d", cells[0], len(cells), last+chargeCells)
	}
	j := queued{QueuedJob: slurmctl.ReadQueued(cells[:last])}
	j.charge = slurmctl.Charge{Account: cells[last], User: cells[last+1], QOS: cells[last+2], Partition: j.Partition}
	if j.ID == 0 {
		return queued{}, fmt.Errorf("got a job %q, want a positive number", cells[0])
	}
	return j, nil
}

// Licences reads all licences, in Slurm's order.
func (r *Reader) Licences(ctx context.Context) ([]slurmctl.LicenceRecord, error) {
	a, err := r.Ask(ctx, "licences")
	if err != nil {
		return nil, err
	}
	var all []slurmctl.LicenceRecord
	for _, row := range a.Rows {
		if row.Word != "licence" || len(row.Cells) != 3 {
			return nil, r.distrust(a, fmt.Errorf("read licences: got a row %q of %d cells, want licence and 3", row.Word, len(row.Cells)))
		}
		free, ok1 := values.Count(row.Cells[1])
		reserved, ok2 := values.Count(row.Cells[2])
		if !ok1 || !ok2 {
			return nil, r.distrust(a, fmt.Errorf("read licences: %s has %q free and %q reserved, want numbers", row.Cells[0], row.Cells[1], row.Cells[2]))
		}
		all = append(all, slurmctl.LicenceRecord{Name: row.Cells[0], Free: max(0, free-reserved)})
	}
	return all, nil
}

// Reservations reads all reservations, in Slurm's order.
func (r *Reader) Reservations(ctx context.Context) ([]slurmctl.Reservation, error) {
	a, err := r.Ask(ctx, "reservations")
	if err != nil {
		return nil, err
	}
	var all []slurmctl.Reservation
	for _, row := range a.Rows {
		if row.Word != "reservation" || len(row.Cells) != 8 {
			return nil, r.distrust(a, fmt.Errorf("read reservations: got a row %q of %d cells, want reservation and 8", row.Word, len(row.Cells)))
		}
		start, err1 := values.Time(row.Cells[1])
		end, err2 := values.Time(row.Cells[2])
		if err := cmp.Or(err1, err2); err != nil {
			return nil, r.distrust(a, fmt.Errorf("read reservations: %s: %w", row.Cells[0], err))
		}
		all = append(all, slurmctl.Reservation{
			Name: row.Cells[0], Start: start, End: end, NodeList: row.Cells[3], Parts: row.Cells[4] == "1",
			Maint: row.Cells[5] == "1", Overlap: row.Cells[6] == "1", Flex: row.Cells[7] == "1",
		})
	}
	return all, nil
}

// JobDetails reads jobs with their placements, by ascending id. An unknown id among
// several is left out, a single unknown one is a *slurmctl.RefusedError. Jobs that have
// ended, and all jobs if no id is given, are read from scontrol.
func (r *Reader) JobDetails(ctx context.Context, ids ...int) ([]slurmctl.JobDetail, error) {
	if len(ids) == 0 {
		return r.Client.JobDetails(ctx)
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	question := []string{"details"}
	for _, id := range ids {
		question = append(question, strconv.Itoa(id))
	}
	a, err := r.Ask(ctx, question...)
	if err != nil {
		return nil, err
	}
	if a.Count != len(ids) {
		return nil, r.distrust(a, fmt.Errorf("read jobs: %d were asked for, want %d", a.Count, len(ids)))
	}
	var all []slurmctl.JobDetail
	for _, row := range a.Rows {
		detail, ended, err := readDetail(row)
		if err != nil {
			return nil, r.distrust(a, err)
		}
		if ended {
			told, err := r.Client.JobDetails(ctx, detail.ID)
			var refused *slurmctl.RefusedError
			if err != nil && !errors.As(err, &refused) {
				return nil, err
			}
			all = append(all, told...)
			continue
		}
		if detail.Unread != nil {
			return nil, detail.Unread
		}
		all = append(all, detail)
	}
	if len(ids) == 1 && len(all) == 0 {
		return nil, &slurmctl.RefusedError{Command: fmt.Sprintf("%s details %d", program, ids[0]), Message: "Invalid job id specified"}
	}
	return all, nil
}

// distrust ends a helper whose answer does not make sense.
func (r *Reader) distrust(a Answer, err error) error {
	r.Drop(a.Life)
	return err
}
