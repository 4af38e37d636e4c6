package workloads

import (
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// parseText reads a list of jobs as sbatch options:
//
//	# run time in seconds, then options
//	124 -n 1048 -N 262 --ntasks-per-node=4
//	274 -n 388 -N 97 --ntasks-per-node=4 --gres=gpu:2 --contiguous -t 10
//
// Everything after # is a comment. Jobs are numbered from 1 in the order of the
// lines. Without -n a job gets Slurm's default: the nodes times the tasks per
// node, which are 1 when not given. Without -t the limit is the default limit
// model of a Spec. It returns the jobs and their lines.
func parseText(name string, data []byte) ([]Job, []int, error) {
	t := newTable(name)
	options := sbatch.LineParser()
	id := 0
	for line, text := range numberedLines(data) {
		text, _, _ = strings.Cut(text, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if id++; id > MaxJobs {
			t.rows++
			continue
		}
		job, broken := parseLine(options, words)
		job.ID = id
		for _, f := range broken {
			t.rep.Add(line, f)
		}
		if len(broken) == 0 {
			t.addJob(line, job)
		}
	}
	return t.done()
}

// parseLine reads the words of a line: the run time, then options.
func parseLine(options sbatch.Parser, words []string) (Job, []faults.Fault) {
	var out []faults.Fault
	runtime, ok := sbatch.WholeNumber(words[0])
	if !ok || runtime < 1 {
		out = append(out, faults.At("run time", faults.Got(words[0]), "whole seconds as the first word, from 1"))
	}
	r, broken := options.Parse(words[1:])
	for _, f := range broken {
		problem := faults.Got(f.Value)
		if f.Twice {
			problem = "got it twice"
		}
		out = append(out, faults.At(f.Option, problem, f.Want))
	}
	j := Job{
		Runtime: runtime, Limit: int(r.TimeLimit.Seconds()), Nodes: r.Nodes, NodesMax: r.NodesMax, Cores: r.Tasks, CoresPerNode: r.TasksPerNode,
		GPUsMin: r.GPUsMin, GPUsMax: r.GPUsMax, Contiguous: r.Contiguous,
		Options: r.Options, Terms: r.Terms,
	}
	if j.Cores == 0 {
		j.Cores = j.Nodes * max(1, j.CoresPerNode)
	}
	if j.Limit == 0 {
		j.Limit = defaultLimit().draw(stream{}, runtime)
	}
	j.Class = j.Kind()
	return j, out
}
