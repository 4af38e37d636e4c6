package backend

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// maxNodes is the largest machine that ran a job on every node (docs/design/015).
const maxNodes = 128

// firstPort is the port of the first node's slurmd; the others follow.
const firstPort = 17001

// onNodes is the form with a slurmd on every node, and so with all that Slurm can do: arrays, steps, srun, salloc,
// suspend and requeue, for tens of nodes. It has no events, as [FrontEnd] has none.
//
// All slurmds run side by side in the cluster's container, told apart by their ports, spool directories, logs and files
// of process ids ("slurmd -N"). Each registers with slurmctld once, at boot, and starts the jobs and steps of its node.
//
//   - The slurmds are started one after the other, each when the one before has written its process id: at its start a
//     slurmd replaces the socket /run/slurm/sack.socket, and two at a time end with "Unable to bind UNIX socket".
//   - The spool directory of node NAME is conf.SpoolDir/NAME.
func onNodes() Traits {
	return Traits{
		About: "a slurmd on every node, for scripts with steps and arrays", MaxNodes: maxNodes, Scripts: true, Daemons: true,
		nodes: slurmdNodes,
	}
}

func slurmdNodes(s conf.Spec) boot.Nodes {
	return boot.Nodes{
		Conf:     slurmdConf(s),
		Programs: slurmds(s.Nodes),
		Ready:    func(boot.Ask) error { return nil },
		Starts:   []string{"slurmstepd"},
		// A slurmd on each node takes 4.3 MB and 6 threads. Each running job takes the same as on a front end, where
		// a job of a shell and a sleep takes 3 MB and 9.
		PerNode: boot.Footprint{Memory: 16 << 20, Processes: 32},
		PerJob:  boot.Footprint{Memory: 16 << 20, Processes: 64},
	}
}

// slurmds are the slurmds. Their files are where slurmdConf has them.
func slurmds(nodes int) []boot.Program {
	list := make([]boot.Program, nodes)
	for i := range list {
		node := fmt.Sprintf("n%d", i+1)
		list[i] = boot.Program{
			Part: "slurmd", Name: "slurmd-" + node, Log: "slurmd-" + node + ".log", PIDFile: "/run/slurmd-" + node + ".pid",
			Argv: []string{"slurmd", "-D", "-N", node},
		}
	}
	return list
}

func slurmdConf(s conf.Spec) conf.Nodes {
	n := conf.Nodes{
		Lines: []string{
			"SlurmdSpoolDir=" + conf.SpoolDir + "/%n",
			"SlurmdPidFile=/run/slurmd-%n.pid",
			"SlurmdLogFile=/var/log/slurm/slurmd-%n.log",
			"# The nodes have what the line NodeName says, not what is found on this computer.",
			"SlurmdParameters=config_overrides",
			"# No node is asked for a sign of life; slurmlab watches the processes.",
			"SlurmdTimeout=0",
			"ReturnToService=2",
		},
		Options: fmt.Sprintf("NodeAddr=127.0.0.1 Port=[%d-%d] State=UNKNOWN", firstPort, firstPort+s.Nodes-1),
		Files:   []conf.File{{Name: "cgroup.conf", Mode: 0o644, Data: []byte("CgroupPlugin=disabled\n")}},
	}
	if s.GPUs == 0 {
		return n
	}
	// With a file for each GPU Slurm knows which of them a job has, and passes them in CUDA_VISIBLE_DEVICES. slurmd
	// opens none, but wants them to be devices (_set_gres_device_desc in src/interfaces/gres.c).
	var files []string
	for _, file := range gpuFiles(s.GPUs) {
		n.Files = append(n.Files, file)
		files = append(files, conf.Dir+"/"+file.Name)
	}
	gres := fmt.Sprintf("NodeName=n[1-%d] Name=gpu File=%s\n", s.Nodes, strings.Join(files, ","))
	n.Files = append(n.Files, conf.File{Name: "gres.conf", Mode: 0o644, Data: []byte(gres)})
	return n
}

// gpuFiles are files that stand for the devices of GPUs.
func gpuFiles(count int) []conf.File {
	files := make([]conf.File, count)
	for i := range files {
		files[i] = conf.File{Name: fmt.Sprintf("gpu%d", i), Link: "/dev/null"}
	}
	return files
}
