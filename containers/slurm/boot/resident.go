package boot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commands are the programs of every backend that slurmlabd, or people and their jobs, may start while virtual time
// is skipped.
func commands() []string {
	return []string{"slurmchannel", "scontrol", "squeue", "sbatch", "scancel", "sacct", "sacctmgr", "sdiag", "srun", "bash", "sh", "sleep"}
}

// keepResident keeps in memory the programs that the cluster starts while virtual time is skipped: the shells and
// sleeps of jobs, slurmstepd, and Slurm's commands. It keeps the plugins that each of Slurm's own programs loads.
// self is this program. The channel has the error, nil if there is none.
//
// On fuse-overlayfs, where many containers have their files, a program that is read for the first time waits for
// dozens of answers of a process outside the container. Nobody in the cluster computes meanwhile. Measured with
// strace: perl asks for 54 parts of files and 13 names at its first start and for none at its second. What is left
// are 10 to 20 requests a start that have no data in them: that process opens files and reads symbolic links each
// time.
//
// What is kept is in memory before the channel has its answer, and not read again: pages that a process has mapped outlive
// those that nobody has. A file that is missing is none that could be started: it is left out.
func (c *Daemons) keepResident(self string, starts []string) <-chan error {
	done := make(chan error, 1)
	plugins, err := c.plugins()
	if err != nil {
		done <- err
		return done
	}
	go func() {
		files, err := programFiles(slices.Concat([]string{self}, commands(), starts), []string{plugins})
		if err == nil {
			_, err = keepFiles(files)
		}
		done <- err
	}()
	return done
}

// plugins is the directory from which slurmctld has loaded its plugins.
func (c *Daemons) plugins() (string, error) {
	i := slices.IndexFunc(c.daemons, func(d *daemon) bool { return d.name == Controller })
	if i < 0 {
		return "", errors.New("find Slurm's plugins: slurmctld does not run")
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", c.daemons[i].proc.known.PID))
	if err != nil {
		return "", fmt.Errorf("find Slurm's plugins: %w", err)
	}
	return pluginDir(string(maps))
}

// pluginDir finds the directory of the plugin that every cluster has (AuthType=auth/slurm) among the mapped files of a
// process (proc_pid_maps(5)).
func pluginDir(maps string) (string, error) {
	const plugin = "/auth_slurm.so"
	for line := range strings.Lines(maps) {
		if at := strings.IndexByte(line, '/'); at >= 0 && strings.HasSuffix(strings.TrimSpace(line), plugin) {
			return filepath.Dir(strings.TrimSpace(line[at:])), nil
		}
	}
	return "", fmt.Errorf("find Slurm's plugins: slurmctld has loaded no %s", plugin)
}
