package boot

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

const (
	dataDir = "/var/lib/mysql"
	socket  = "/run/mysqld/mysqld.sock"
	// emptyDatabase is a data directory without anything of ours, which the image has: to make one takes
	// a second, more than the rest of a boot.
	emptyDatabase = "/usr/share/slurmlab/database"
	// logFileSize is that of MariaDB's redo log, 96 MB otherwise. The file is in memory, and what has not been
	// written to the tables yet is never more than the buffer pool. emptyDatabase has a log of this size.
	logFileSize = "--innodb-log-file-size=16M"
)

// initDatabase makes MariaDB's directories, which the owner gets, and returns its certificate and key. The
// database is empty, or with restored that of the checkpoint, with all other files that this has.
func initDatabase(owner conf.User, restored bool) (cert, key string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("initialise database: %w", err)
		}
	}()
	if restored {
		err = restore()
	} else {
		err = os.CopyFS(dataDir, os.DirFS(emptyDatabase))
	}
	if err != nil {
		return "", "", err
	}
	for _, dir := range []string{filepath.Dir(socket), dataDir} {
		if err := give(dir, owner); err != nil {
			return "", "", err
		}
	}
	return certificate(filepath.Dir(socket), owner.ID)
}

// give gives a directory and all that is in it to its owner.
func give(dir string, owner conf.User) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, owner.ID, -1)
	})
}

// createDatabase makes slurmdbd's database. slurmdbd can do that itself, but its first
// start then fails with MariaDB 11.8.9 (_check_mysql_concat_is_sane: null result).
func createDatabase(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "mariadb-admin", "--user=root", "--socket="+socket, "create", "slurm_acct_db").CombinedOutput(); err != nil {
		return fmt.Errorf("create database: %w: %s", err, out)
	}
	return nil
}
