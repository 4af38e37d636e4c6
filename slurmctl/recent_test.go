package slurmctl_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// recentJob is what scontrol -d -o show job of Slurm 26.05.5 printed for an external
// job, with the comments and the rest as arguments.
func recentJob(comments string) string {
	return "JobId=16 JobName=a b SLUID=s6QNM81XNGWD00 UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=0 Nice=0 Account=root QOS=normal " +
		"JobState=PENDING Reason=JobHeldUser Dependency=(null) Requeue=0 Restarts=0 BatchFlag=0 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 " +
		"RunTime=00:00:00 TimeLimit=00:05:00 TimeMin=N/A SubmitTime=2026-11-22T15:23:18 EligibleTime=Unknown AccrueTime=Unknown " +
		"StartTime=Unknown EndTime=Unknown Deadline=N/A SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-22T15:23:18 Scheduler=Main " +
		"Partition=main AllocNode:Sid=3a0b0874f82e:146 ReqNodeList=(null) ExcNodeList=(null) NodeList= NumNodes=1-8 NumCPUs=8 NumTasks=8 " +
		"CPUs/Task=1 ReqB:S:C:T=0:0:*:* ReqTRES=cpu=8,mem=1M,node=1,billing=8,gres/gpu=1 AllocTRES=(null) Socks/Node=* " +
		"NtasksPerN:B:S:C=0:0:*:* CoreSpec=* MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 " +
		"OverSubscribe=NO Exclusive=NO Contiguous=0 Licenses=(null) LicensesAlloc=(null) Network=(null) Command=/tmp/j.sh " +
		"SubmitLine=sbatch -H -n 8 -t 5 --gres=gpu:1 -o /dev/null /tmp/j.sh WorkDir=/ " + comments + "\n"
}

// Slurm 26.05 marks the end of a comment differently from Slurm 24.11.
func TestJobsOfRecentSlurm(t *testing.T) {
	const note = "slurmlab tasks=8 nodes=0 tasks_per_node=0 script=1795360998-2"
	for comments, want := range map[string]struct {
		admin, comment string
		gpus           int
	}{
		"AdminComment=" + note + " TresPerNode=gres/gpu:1 ":                         {note, "", 1},
		"AdminComment=" + note + " Comment=why  not Extra=x TresPerNode=gres/gpu:2": {note, "why  not", 2},
		"AdminComment=" + note:               {note, "", 0},
		"Comment=why TresPerNode=gres/gpu:2": {"", "why", 2},
		"":                                   {"", "", 0},
	} {
		jobs, err := slurmctl.ParseJobDetails([]byte(recentJob(comments)))
		if err != nil || len(jobs) != 1 {
			t.Errorf("%q: %d jobs, %v", comments, len(jobs), err)
			continue
		}
		j := jobs[0]
		if j.Name != "a b" || j.AdminComment != want.admin || j.Comment != want.comment || j.GPUsPerNode != want.gpus {
			t.Errorf("%q: name %q, admin comment %q, comment %q, %d GPUs per node, want %+v", comments, j.Name, j.AdminComment, j.Comment, j.GPUsPerNode, want)
		}
	}
}

// A node that Slurm does not manage takes external jobs.
func TestExternalNodesAreAvailable(t *testing.T) {
	const text = "NodeName=n1 CoresPerSocket=8  CPUAlloc=0 CPUEfctv=8 CPUTot=8 CPULoad=0.00 AvailableFeatures=(null) ActiveFeatures=(null) " +
		"Gres=gpu:2 NodeAddr=n1 NodeHostName=n1  RealMemory=1 AllocMem=0 FreeMem=N/A Sockets=1 Boards=1 State=IDLE+EXTERNAL ThreadsPerCore=1 " +
		"TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=main  BootTime=None SlurmdStartTime=None LastBusyTime=Unknown " +
		"ResumeAfterTime=None SuspendTime=INFINITE CfgTRES=cpu=8,mem=1M,billing=8,gres/gpu=2 AllocTRES= CurrentWatts=0 AveWatts=0\n"
	for state, want := range map[string]bool{"IDLE+EXTERNAL": true, "MIXED+EXTERNAL": true, "IDLE+EXTERNAL+DRAIN": false, "IDLE+EXTERNAL+RESERVED": true, "IDLE+EXTERNAL+MAINTENANCE": true, "DOWN+EXTERNAL": false} {
		nodes, err := slurmctl.ParseNodes([]byte(strings.Replace(text, "IDLE+EXTERNAL", state, 1)))
		if err != nil || len(nodes) != 1 || nodes[0].Available() != want || nodes[0].GPUs != 2 {
			t.Errorf("%s: %+v, %v, want available: %v", state, nodes, err, want)
		}
	}
}
