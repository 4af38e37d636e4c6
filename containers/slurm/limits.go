package slurm

import (
	"fmt"

	"github.com/moby/moby/api/types/container"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// Limits of a cluster's container. They are not reserved: a cluster takes what it uses.
// docs/design/018-limits.md has the measurements and says which figures have none.
const (
	gib = 1 << 30
	// idleMemory and idleProcesses are for MariaDB, slurmdbd, slurmctld, the database's files and the clients.
	idleMemory    = 2 * gib
	idleProcesses = 2048
	// solverMemory is for an external scheduler, that is, our agent, and its solver.
	solverMemory = 6 * gib
	// jobMemory is for what each job leaves in slurmctld, in the database and in the
	// spool, whether it runs or not.
	jobMemory = 128 << 10
	// mostProcesses is the most that the kernel has (PID_MAX_LIMIT of linux/threads.h), and
	// takes as a limit.
	mostProcesses = 4 << 20
	// filesMemory is for a file system in memory without jobs.
	filesMemory = gib
	// scratchMemory is that of /tmp, and of /var/tmp. They are for what users' programs and jobs write.
	scratchMemory = gib / 4
)

// limits of one container. Memory is in bytes, and includes the file systems in memory, each of which may have Files
// bytes. Processes includes threads.
type limits struct {
	Memory, Files, Processes int64
}

// limitsFor returns the limits of a cluster through which so many jobs go.
func limitsFor(spec conf.Spec, nodes boot.Nodes, jobs int) limits {
	running := int64(min(jobs, spec.Nodes*spec.Cores))
	l := limits{
		Memory:    idleMemory + 2*scratchMemory + int64(jobs)*jobMemory + int64(spec.Nodes)*nodes.PerNode.Memory + running*nodes.PerJob.Memory,
		Files:     filesMemory + int64(jobs)*jobMemory,
		Processes: min(mostProcesses, idleProcesses+int64(spec.Nodes)*nodes.PerNode.Processes+running*nodes.PerJob.Processes),
	}
	if spec.Scheduler.External {
		l.Memory += solverMemory
	}
	return l
}

// capabilities are those of capabilities(7) that root keeps in the container:
//
//   - CHOWN, SETUID, SETGID: MariaDB runs as mysql and its files are mysql's
//   - DAC_OVERRIDE: root reads and writes them
//   - FOWNER: root makes the home of a user (useradd -m)
//   - KILL: root ends MariaDB, and a job of any user
func capabilities() []string {
	return []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"}
}

// noNetwork is the network of a cluster, and of every Docker engine: the loopback.
const noNetwork = "none"

// scratchOptions are the mount options of /tmp and /var/tmp, where users' programs and jobs may write and execute.
func scratchOptions() string { return fmt.Sprintf("rw,exec,mode=1777,size=%d", scratchMemory) }

// confine keeps a container from the network, from the rest of the machine, and within
// limits. Its root file system can be written to: the logs and results of a run are read
// from it when the container has stopped, which is not possible for files in memory.
func confine(host *container.HostConfig, core string, l limits) {
	host.CpusetCpus = core
	// Without swap: a cluster that swaps is late, and nobody knows by how much.
	host.Memory, host.MemorySwap = l.Memory, l.Memory
	host.PidsLimit = &l.Processes
	host.NetworkMode = noNetwork
	host.CapDrop, host.CapAdd = []string{"ALL"}, capabilities()
	host.SecurityOpt = append(host.SecurityOpt, "no-new-privileges")
}
