package slurmctl

import (
	"context"
	"strconv"
)

// StartAfter makes pending jobs wait until each of the jobs in begun has begun
// or was cancelled. It replaces what they waited for before. A held job may have
// to wait until they have ended, because Slurm does not look at it earlier. Slurm
// refuses it for jobs that have started meanwhile, and changes the others all
// the same.
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
	return c.Do(ctx, "update JobId="+list+" Dependency="+after(begun))
}

// after is a dependency in sbatch's words, "after:7:9".
func after(ids []int) string {
	text := "after"
	for _, id := range ids {
		text += ":" + strconv.Itoa(id)
	}
	return text
}
