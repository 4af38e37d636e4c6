package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

const (
	dataDir = "/var/lib/mysql"
	socket  = "/run/mysqld/mysqld.sock"
	// emptyDatabase is a packed data directory with an empty slurm_acct_db, which the image has: to make one takes
	// a second, more than the rest of a boot.
	emptyDatabase = "/usr/share/slurmlab/database.tar.gz"
	// logFileSize is that of MariaDB's redo log, 96 MB otherwise. The file is in memory, and what has not been
	// written to the tables yet is never more than the buffer pool. emptyDatabase has a log of this size.
	logFileSize = "--innodb-log-file-size=16M"
)

// initDatabase makes MariaDB's directories, which the owner gets, and returns its certificate and key. The database
// is empty, or with restored the checkpoint's, with all other files of the checkpoint.
func initDatabase(owner conf.User, restored bool) (cert, key string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("initialise database: %w", err)
		}
	}()
	if restored {
		err = unpack(CheckpointPath(), CheckpointDirs()...)
	} else {
		err = unpack(emptyDatabase, dataDir)
	}
	if err != nil {
		return "", "", err
	}
	// The socket is open to all, its directory to MariaDB's user and root.
	if err = errors.Join(os.MkdirAll(filepath.Dir(socket), 0o700), os.Chmod(filepath.Dir(socket), 0o700)); err != nil {
		return "", "", err
	}
	for _, dir := range []string{filepath.Dir(socket), dataDir} {
		if err := give(dir, owner); err != nil {
			return "", "", err
		}
	}
	return certificate(filepath.Dir(socket), owner.ID)
}

// unpack puts the files of an archive where the daemons look for them, below these directories.
func unpack(archive string, dirs ...string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	if err = errors.Join(unpackArchive(file, "/", dirs...), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	return nil
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
