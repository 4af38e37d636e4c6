package slurmtest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

func clock(t time.Time, unset string) string {
	if t.IsZero() {
		return unset
	}
	return t.Format("2006-01-02T15:04:05")
}

// duration is Slurm's secs2time_str; squeue leaves leading zeros out.
func duration(d time.Duration, short bool) string {
	if d == 0 {
		return "UNLIMITED"
	}
	s := int(d / time.Second)
	days, h, m, s := s/86400, s/3600%24, s/60%60, s%60
	switch {
	case days > 0:
		return fmt.Sprintf("%d-%02d:%02d:%02d", days, h, m, s)
	case !short:
		return fmt.Sprintf("%02d:%02d:%02d", h, m, s)
	case h > 0:
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	default:
		return fmt.Sprintf("%d:%02d", m, s)
	}
}

func (j *job) nodeList() string {
	names := make([]string, len(j.allocated))
	for i, a := range j.allocated {
		names[i] = nodeName(a.node)
	}
	return values.CompressHosts(names)
}

// tres is the request of a job, or its allocation once it has one.
func (j *job) tres(request bool) string {
	nodes, memory := max(j.minNodes, 1), ""
	if !request {
		nodes = len(j.allocated)
	} else {
		memory = "mem=" + strconv.Itoa(nodes) + "M,"
	}
	s := fmt.Sprintf("cpu=%d,%snode=%d,billing=%d", j.cpus, memory, nodes, j.cpus)
	if j.gpus > 0 {
		s += fmt.Sprintf(",gres/gpu=%d", j.gpus*nodes)
	}
	return s
}

func (c *Cluster) squeue(args []string) (string, error) {
	format := ""
	for _, a := range args {
		if f, ok := strings.CutPrefix(a, "--Format="); ok {
			format = f
		} else if a != "--noheader" && a != "--all" {
			return "", fmt.Errorf("slurmtest: squeue option %q is not supported", a)
		}
	}
	var b strings.Builder
	for _, j := range c.jobs {
		if !j.active() && j.state != slurmctl.JobCompleting {
			continue
		}
		cells := c.cells(j)
		for column := range strings.SplitSeq(format, ",") {
			name, suffix, _ := strings.Cut(column, ":")
			cell, ok := cells[name]
			if !ok {
				return "", fmt.Errorf("slurmtest: squeue column %q is not supported", name)
			}
			b.WriteString(cell + suffix)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// cells are the columns of squeue --Format.
func (c *Cluster) cells(j *job) map[string]string {
	perNode := "N/A"
	if j.gpus > 0 {
		perNode = "gres/gpu:" + strconv.Itoa(j.gpus)
	}
	contiguous := "0"
	if j.contiguous {
		contiguous = "1"
	}
	return map[string]string{
		"JobID":         strconv.Itoa(j.id),
		"Name":          j.name,
		"Account":       j.account,
		"UserName":      "root",
		"Partition":     "main",
		"QOS":           "normal",
		"State":         string(j.state),
		"Reason":        j.reason,
		"PriorityLong":  strconv.Itoa(j.priority),
		"SubmitTime":    clock(j.submit, "N/A"),
		"StartTime":     clock(j.startOrBegin(), "N/A"),
		"NumTasks":      strconv.Itoa(j.tasks),
		"NumCPUs":       strconv.Itoa(j.cpus),
		"NTPerNode":     strconv.Itoa(j.tasksPerNode),
		"MinCPUs":       strconv.Itoa(j.minCPUs),
		"tres-alloc":    j.tres(len(j.allocated) == 0),
		"tres-per-node": perNode,
		"Contiguous":    contiguous,
		"TimeLimit":     duration(j.limit, true),
		"NodeList":      j.nodeList(),
		"admin_comment": cmp.Or(j.adminComment, "(null)"),
		"comment":       "(null)",
		"partition":     "main",
		"feature":       "(null)",
		"licenses":      "(null)",
		"dependency":    cmp.Or(c.dependency(j), "(null)"),
	}
}

// sshare prints shares, one for each account and one for the user root, and no usage.
func (c *Cluster) sshare() string {
	var b strings.Builder
	b.WriteString("root|||0\n root|root|1|0\n")
	for _, name := range c.accounts {
		fmt.Fprintf(&b, " %s||1|0\n  %s|root|1|0\n", name, name)
	}
	return b.String()
}

// startOrBegin: Slurm shows the begin time of a pending job as its start.
func (j *job) startOrBegin() time.Time {
	if j.start.IsZero() && j.priority > 0 {
		return j.begin
	}
	return j.start
}

func (c *Cluster) showNodes() string {
	var b strings.Builder
	for i, n := range c.nodes {
		alloc := c.config.Cores - n.freeCores
		state := "IDLE"
		switch {
		case alloc == c.config.Cores:
			state = "ALLOCATED"
		case alloc > 0:
			state = "MIXED"
		}
		if n.down {
			state = "DOWN"
		}
		if n.completing > 0 {
			state += "+COMPLETING"
		}
		if n.drained {
			state += "+DRAIN"
		}
		gres, gpus, used := "(null)", "", ""
		if c.config.GPUs > 0 {
			gres = fmt.Sprintf("gpu:%d", c.config.GPUs)
			gpus = fmt.Sprintf(",gres/gpu=%d", c.config.GPUs)
		}
		if alloc > 0 {
			used = fmt.Sprintf("cpu=%d", alloc)
		}
		if inUse := c.config.GPUs - n.freeGPUs; inUse > 0 {
			used += fmt.Sprintf(",gres/gpu=%d", inUse)
		}
		cores, boot := c.config.Cores, clock(c.config.Start, "None")
		fmt.Fprintf(&b, "NodeName=%s CoresPerSocket=%d  CPUAlloc=%d CPUEfctv=%d CPUTot=%d CPULoad=0.00 AvailableFeatures=(null) "+
			"ActiveFeatures=(null) Gres=%s NodeAddr=127.0.0.1 NodeHostName=fe0  RealMemory=1 AllocMem=0 FreeMem=N/A Sockets=1 "+
			"Boards=1 State=%s ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=main  "+
			"BootTime=%s SlurmdStartTime=%s LastBusyTime=%s ResumeAfterTime=None CfgTRES=cpu=%d,mem=1M,billing=%d%s "+
			"AllocTRES=%s CurrentWatts=0 AveWatts=0 \n",
			nodeName(i), cores, alloc, cores, cores, gres, state, boot, boot, boot, cores, cores, gpus, used)
	}
	return b.String()
}

func (c *Cluster) showJobs(ids []string) (string, error) {
	jobs := c.jobs
	if len(ids) > 0 {
		n, err := strconv.Atoi(ids[0])
		if err != nil || n < 1 || n > len(jobs) {
			return "", failure("slurm_load_jobs error: Invalid job id specified")
		}
		jobs = jobs[n-1 : n]
	}
	if len(jobs) == 0 {
		return "No jobs in the system\n", nil
	}
	var b strings.Builder
	for _, j := range jobs {
		c.showJob(&b, j)
	}
	return b.String(), nil
}

func (c *Cluster) showJob(b *strings.Builder, j *job) {
	nodes, allocTRES := fmt.Sprintf("%d-%d", j.minNodes, j.minNodes), "(null)"
	if len(j.allocated) > 0 {
		nodes, allocTRES = strconv.Itoa(len(j.allocated)), j.tres(false)
	}
	cells := c.cells(j)
	fmt.Fprintf(b, "JobId=%d JobName=%s UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=%d Nice=0 Account=%s QOS=normal "+
		"JobState=%s Reason=%s Dependency=%s Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 "+
		"RunTime=00:00:00 TimeLimit=%s TimeMin=N/A SubmitTime=%s EligibleTime=%s AccrueTime=Unknown StartTime=%s EndTime=%s "+
		"Deadline=N/A SuspendTime=None SecsPreSuspend=0 LastSchedEval=Unknown Scheduler=Main Partition=main AllocNode:Sid=fe0:1 "+
		"ReqNodeList=%s ExcNodeList=(null) NodeList=%s NumNodes=%s NumCPUs=%d NumTasks=%d CPUs/Task=1 ReqB:S:C:T=0:0:*:* "+
		"ReqTRES=%s AllocTRES=%s Socks/Node=* NtasksPerN:B:S:C=%d:0:*:* CoreSpec=* ",
		j.id, j.name, j.priority, j.account, j.state, j.reason, cells["dependency"], duration(j.limit, false), clock(j.submit, "Unknown"),
		clock(j.eligible, "Unknown"), clock(j.startOrBegin(), "Unknown"), clock(j.end, "Unknown"),
		cmp.Or(j.requiredText, "(null)"), j.nodeList(), nodes, j.cpus, j.tasks, j.tres(true), allocTRES, j.tasksPerNode)
	if len(j.allocated) > 0 {
		b.WriteString(j.placement())
	}
	fmt.Fprintf(b, "MinCPUsNode=%d MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 OverSubscribe=OK "+
		"Contiguous=%s Licenses=(null) Network=(null) Command=(null) WorkDir=/tmp ", j.minCPUs, cells["Contiguous"])
	if j.adminComment != "" {
		fmt.Fprintf(b, "AdminComment=%s  ", j.adminComment)
	}
	b.WriteString("StdErr=/dev/null StdIn=/dev/null StdOut=/dev/null ")
	if j.gpus > 0 {
		fmt.Fprintf(b, "TresPerNode=%s ", cells["tres-per-node"])
	}
	b.WriteString("\n")
}

// placement prints neighbours with equal cores as one group, as Slurm does.
func (j *job) placement() string {
	total, gres := "(null)", ""
	if j.gpus > 0 {
		total = fmt.Sprintf("gpu:%d", j.gpus*len(j.allocated))
		if j.active() {
			gres = fmt.Sprintf("gpu(CNT:%d)", j.gpus)
		}
	}
	s := "JOB_GRES=" + total + " "
	for from := 0; from < len(j.allocated); {
		end, names := from, []string(nil)
		for end < len(j.allocated) && slices.Equal(j.allocated[end].cores, j.allocated[from].cores) {
			names = append(names, nodeName(j.allocated[end].node))
			end++
		}
		ids := make([]string, len(j.allocated[from].cores))
		for i, id := range j.allocated[from].cores {
			ids[i] = strconv.Itoa(id)
		}
		s += fmt.Sprintf("  Nodes=%s CPU_IDs=%s Mem=0 GRES=%s ",
			values.CompressHosts(names), strings.Trim(values.CompressHosts(ids), "[]"), gres)
		from = end
	}
	return s
}
