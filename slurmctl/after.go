package slurmctl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// mostAfter is how many jobs one command changes, so that it is no longer than a Session takes.
const mostAfter = 100

// StartAfterCommands make pending jobs wait until each of the jobs in begun has begun
// or was cancelled, instead of what they waited for before. A held job may have to wait
// until the jobs in begun have ended, because Slurm does not look at its dependency
// earlier. Slurm refuses the change for pending jobs that have started meanwhile, and
// changes the others all the same.
func StartAfterCommands(ids, begun []int) []string {
	var commands []string
	for batch := range slices.Chunk(ids, mostAfter) {
		list := make([]string, len(batch))
		for i, id := range batch {
			list[i] = strconv.Itoa(id)
		}
		commands = append(commands, "update JobId="+strings.Join(list, ",")+" Dependency="+sbatch.After(begun))
	}
	return commands
}
