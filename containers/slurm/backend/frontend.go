package backend

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// frontEnd is the form with one slurmd for all nodes. It runs real batch scripts, and can suspend and requeue jobs.
// Slurm 24.11 is the last series with front-end mode.
//
// A cluster is ready when every node is idle AND slurmd has registered twice. slurmctld asks for the second
// registration three seconds after its start (src/slurmctld/ping_nodes.c, restart_flag), which a jump clock skips.
// With GPU nodes it kills the jobs that run by then, so no job may be submitted before it.
//
// It has no events: Slurm starts the jobs of a node that went down again, and a run takes each job once.
func frontEnd() Traits {
	return Traits{About: "one slurmd for all nodes, runs all batch scripts", Scripts: true, nodes: frontEndNodes}
}

func frontEndNodes(s conf.Spec) boot.Nodes {
	return boot.Nodes{
		Conf:     frontEndConf(s),
		Programs: []boot.Program{{Part: "slurmd", Log: "slurmd.log", Argv: []string{"slurmd", "-D", "-N", "fe0"}}},
		Fatal: map[string]string{
			"slurmctld": "slurmd registers with the new one, which kills the jobs on nodes with GPUs",
			"slurmd":    "it registers when it is started, which kills the jobs on nodes with GPUs",
		},
		Ready:  registered,
		Starts: []string{"slurmstepd"},
		// Measured: 9 kB of slurmctld for each node; for each job a slurmstepd, a shell
		// and a sleep, together 1.9 MB and 16 processes and threads.
		PerNode: boot.Footprint{Memory: 64 << 10},
		PerJob:  boot.Footprint{Memory: 16 << 20, Processes: 64},
	}
}

func frontEndConf(s conf.Spec) conf.Nodes {
	n := conf.Nodes{
		Lines: []string{
			"SlurmdSpoolDir=" + conf.SpoolDir,
			"SlurmdPidFile=/run/slurmd.pid",
			"SlurmdLogFile=/var/log/slurm/slurmd.log",
			"# With GPU nodes every registration of a front-end slurmd sets the nodes down",
			"# and idle again, which kills their jobs. SlurmdTimeout=0 asks for one at boot",
			"# and for no more (src/slurmctld/ping_nodes.c).",
			"SlurmdTimeout=0",
			"ReturnToService=2",
			"# slurmd would look for the user's own environment (sbatch --export=NAME=value) in",
			"# namespaces of its own, which the container may not make, and end: \"fatal: clone\"",
			"# (env_array_user_default in src/common/env.c). So a job has only what is passed.",
			"GetEnvTimeout=0",
			"FrontendName=fe0 FrontendAddr=127.0.0.1",
		},
		Options: "NodeHostName=fe0 NodeAddr=127.0.0.1 State=UNKNOWN",
		Files:   []conf.File{{Name: "cgroup.conf", Mode: 0o644, Data: []byte("CgroupPlugin=disabled\n")}},
	}
	if s.GPUs > 0 {
		gres := fmt.Sprintf("NodeName=n[1-%d] Name=gpu Count=%d\n", s.Nodes, s.GPUs)
		n.Files = append(n.Files, conf.File{Name: "gres.conf", Mode: 0o644, Data: []byte(gres)})
	}
	return n
}

// registered wants slurmd to have registered twice; see frontEnd.
func registered(ask boot.Ask) error {
	diag, err := ask("sdiag")
	if err != nil {
		return err
	}
	if n := registrations(diag); n < 2 {
		return fmt.Errorf("slurmd has registered %d times, want 2", n)
	}
	return nil
}

// registrations reads the number of node registrations from sdiag's table of
// remote procedure calls.
func registrations(diag string) int {
	for line := range strings.Lines(diag) {
		if !strings.Contains(line, "MESSAGE_NODE_REGISTRATION_STATUS") {
			continue
		}
		for _, field := range strings.Fields(line) {
			if count, ok := strings.CutPrefix(field, "count:"); ok {
				n, err := strconv.Atoi(count)
				if err != nil {
					return 0
				}
				return n
			}
		}
	}
	return 0
}
