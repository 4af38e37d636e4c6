package slurmctl

import (
	"context"
	"strconv"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// StartAfter makes pending jobs wait until each of the jobs in begun has begun
// or was cancelled, instead of what they waited for before. A held job may have to wait
// until the jobs in begun have ended, because Slurm does not look at its dependency
// earlier. Slurm refuses the change for pending jobs that have started meanwhile, and
// changes the others all the same.
func (c *Client) StartAfter(ctx context.Context, ids, begun []int) error {
	if len(ids) == 0 {
		return nil
	}
	list := ""
	for i, id := range ids {
		if i > 0 {
			list += ","
		}
		list += strconv.Itoa(id)
	}
	return c.Do(ctx, "update JobId="+list+" Dependency="+sbatch.After(begun))
}
