package slurmctl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// JobDetail is a job with its exact placement.
type JobDetail struct {
	QueuedJob
	// RequiredNodes is the hostlist that an update or sbatch -w asked for.
	RequiredNodes string
	// Allocations has one entry for each node of a started job, in the order
	// of Slurm's node table; nil for a job that has not started.
	Allocations []Allocation
	// AllocGPUs counts the GPUs on all nodes of a started job. It stays when
	// the job ends, while Allocations lose their GPUs then.
	AllocGPUs int
}

// Allocation is what a job holds on one node.
type Allocation struct {
	Node string
	// Cores counts the CPU_IDs; with ThreadsPerCore=1 these are cores.
	Cores int
	// GPUs is known as long as the job holds them: Slurm shows none for a job
	// that is COMPLETING or has ended.
	GPUs int
}

// ParseJobDetails reads the output of scontrol -d -o show job. A job that is not
// understood has its ID and Unread and nothing else; without a readable id it is
// an error, a *ParseError.
//
// scontrol does not quote. A job name or comment that imitates the fields after it makes a job unread or gives it a
// wrong AdminComment, and one with a line break makes it unread. Queue has no such weakness.
func ParseJobDetails(out []byte) ([]JobDetail, error) {
	var jobs []JobDetail
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if text == "No jobs in the system" && line == 1 {
			continue
		}
		j, err := parseJobDetail(text, line)
		var bad *ParseError
		switch {
		case errors.As(err, &bad) && j.ID > 0:
			j = JobDetail{QueuedJob: QueuedJob{ID: j.ID, Unread: bad}}
		case errors.As(err, &bad) && len(jobs) > 0 && !strings.HasPrefix(text, "JobId="):
			// The rest of the job before, which has a line break in its name.
			jobs[len(jobs)-1] = JobDetail{QueuedJob: QueuedJob{ID: jobs[len(jobs)-1].ID, Unread: bad}}
			continue
		case err != nil:
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// afterComments are the fields of which one follows a comment in Slurm 26.05, if any
// does.
func afterComments() []string {
	return []string{"SystemComment", "Comment", "Extra", "StdErr", "SegmentSize", "Switches", "BurstBuffer", "BurstBufferState",
		"CPU_min_freq", "GresAllowTaskSharing", "GresEnforceBind", "GresOneTaskPerSharing", "KillOnInvalidDependent", "SpreadJob",
		"ExpeditedRequeue", "OOMKillStep", "CpusPerTres", "MemPerTres", "TresBind", "TresFreq", "TresPerJob", "TresPerNode",
		"TresPerSocket", "TresPerTask", "MailUser", "NtasksPerTRES", "ContainerType", "SELinuxContext", "ResvPorts"}
}

// parseJobDetail reads the fields in the order in which _sprint_job_info
// (src/scontrol/info_job.c) prints them. With an error the job has its ID, or 0 if
// that could not be read either.
func parseJobDetail(text string, line int) (JobDetail, error) {
	f := fields{source: "scontrol show job", line: line, text: text}
	var j JobDetail
	if id := f.first("JobId"); f.err == nil {
		var ok bool
		if j.ID, ok = values.Count(id); !ok || j.ID == 0 {
			return JobDetail{}, f.fail("JobId", id, "a positive number")
		}
	}
	name := f.textUntil("JobName", " UserId=")
	// Slurm 26.05 has SLUID=WORD after the name.
	sluid := strings.LastIndex(name, " SLUID=")
	recent := sluid >= 0
	if j.Name = name; recent {
		j.Name = name[:sluid]
	}
	j.Priority = f.count("Priority")
	state := f.word("JobState")
	j.Reason = f.word("Reason")
	j.Dependency = values.Text(f.word("Dependency"))
	j.TimeLimit = f.duration("TimeLimit")
	j.Submit = f.time("SubmitTime")
	j.Start = f.time("StartTime")
	j.Partition = f.word("Partition")
	j.RequiredNodes = values.Text(f.word("ReqNodeList"))
	j.NodeList = values.Text(f.word("NodeList"))
	j.CPUs = f.low("NumCPUs")
	j.Tasks = f.count("NumTasks")
	asked := f.tres("ReqTRES", "node")
	allocated := f.pos
	j.Nodes = f.tres("AllocTRES", "node")
	f.pos = allocated
	j.AllocGPUs = f.tres("AllocTRES", "gres/gpu")
	perNode, _, _ := strings.Cut(f.word("NtasksPerN:B:S:C"), ":")
	if f.err == nil && f.find("JOB_GRES") >= 0 {
		j.Allocations = f.allocations()
	}
	j.MinCPUsNode = f.count("MinCPUsNode")
	j.Features = values.Text(f.word("Features"))
	contiguous := f.word("Contiguous")
	j.Licences = values.Text(f.word("Licenses"))
	f.word("Command")
	if f.err != nil {
		return j, f.err
	}

	var ok bool
	if j.State, ok = readState(state); !ok {
		return j, f.fail("JobState", state, "a job state")
	}
	if j.TasksPerNode, ok = values.CountOrUnset(perNode); !ok {
		return j, f.fail("NtasksPerN:B:S:C", perNode, "a count")
	}
	if j.Contiguous = contiguous == "1"; !j.Contiguous && contiguous != "0" {
		return j, f.fail("Contiguous", contiguous, "0 or 1")
	}
	if j.Nodes == 0 {
		j.Nodes = asked
	}
	// These fields are optional and come after the free text of Command and WorkDir.
	comment := func(key string) string {
		switch {
		case f.find(key) < 0:
			return ""
		case recent:
			return f.textBefore(key, afterComments()...)
		}
		// In Slurm 24.11 each comment ends with two blanks.
		return strings.TrimSuffix(f.textUntil(key, "  "), " ")
	}
	j.AdminComment = comment("AdminComment")
	j.Comment = comment("Comment")
	if at := strings.LastIndex(f.text, " TresPerNode="); at >= f.pos {
		f.pos = at
		j.GPUsPerNode = f.gpus("TresPerNode")
	}
	return j, f.err
}

// low reads a range such as "16" or "16-32" and returns its lower bound.
func (f *fields) low(key string) int {
	s := f.word(key)
	low, _, _ := strings.Cut(s, "-")
	n, ok := values.Count(low)
	if f.err == nil && !ok {
		f.err = f.fail(key, s, "a count or a range of counts")
	}
	return n
}

// allocations reads the groups of nodes with equal allocations, such as
//
//	JOB_GRES=gpu:6   Nodes=n[1,4,9] CPU_IDs=0-3 Mem=0 GRES=gpu(CNT:2)
func (f *fields) allocations() []Allocation {
	f.word("JOB_GRES")
	end := strings.Index(f.text[f.pos:], " MinCPUsNode=")
	if end < 0 {
		f.err = f.fail("MinCPUsNode", f.text, "a field MinCPUsNode=")
		return nil
	}
	end += f.pos
	g := fields{source: f.source, line: f.line, text: f.text[:end], pos: f.pos}
	f.pos = end
	var all []Allocation
	for g.err == nil && g.find("Nodes") >= 0 {
		list, ids := g.word("Nodes"), g.word("CPU_IDs")
		gpus := g.gpus("GRES")
		if g.err != nil {
			break
		}
		names, err := values.ExpandHosts(list)
		if err != nil || len(names) == 0 {
			g.err = f.fail("Nodes", list, "a hostlist")
			break
		}
		cores, err := values.IDs(ids)
		if err != nil {
			g.err = f.fail("CPU_IDs", ids, "ids such as 0-3,6")
			break
		}
		for _, name := range names {
			all = append(all, Allocation{Node: name, Cores: cores, GPUs: gpus})
		}
	}
	if g.err == nil && len(all) == 0 {
		g.err = f.fail("JOB_GRES", f.text, "at least one group Nodes= CPU_IDs= GRES=")
	}
	f.err = g.err
	return all
}

// showJobArgv is the command whose output ParseJobDetails reads, for one job
// or, with id 0, for all.
func showJobArgv(id int) []string {
	argv := []string{"scontrol", "-d", "-o", "show", "job"}
	if id != 0 {
		argv = append(argv, fmt.Sprint(id))
	}
	return argv
}
