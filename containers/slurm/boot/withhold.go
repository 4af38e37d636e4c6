package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
)

// closed are the directories that users' programs must not enter. The first three have the sockets at which Slurm's
// daemons vouch for the user of a process (_prepare_run_dir and init_sack_conmgr in src/plugins/auth/slurm/sack.c): with
// one a program could submit jobs. In the next one scripts ask for the ends of their jobs. The last one is Debian's, on
// the engine's disk, and everybody may write there.
func closed() []string {
	return []string{"/run/slurmctld", "/run/slurmdbd", "/run/slurm", filepath.Dir(jobs.PipePath), "/run/lock"}
}

// readOnly is the right to read.
const readOnly = 0o4

// shut makes the closed directories. Users of jobs, who are not in the group of users' programs, may enter them.
func shut() error {
	for _, dir := range closed() {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
		if err := withhold(dir, 0); err != nil {
			return err
		}
	}
	return nil
}

// withhold leaves users' programs only these rights to a file or directory of ours, out of fs.ModePerm's last three
// bits. The kernel looks at the rights of the group before those of others, and does not add them
// (path_resolution(7)). A cluster whose processes all have one user id cannot keep anything from programs.
func withhold(path string, left fs.FileMode) error {
	if os.Getuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err == nil {
		err = errors.Join(os.Chown(path, -1, conf.ProgramUser), os.Chmod(path, info.Mode()&^0o070|left<<3))
	}
	if err != nil {
		return fmt.Errorf("keep users' programs from %s: %w", path, err)
	}
	return nil
}
