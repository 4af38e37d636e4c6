package boot

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	dataDir = "/var/lib/mysql"
	socket  = "/run/mysqld/mysqld.sock"
)

// initDatabase makes MariaDB's directories, which the owner gets, and returns its certificate and key.
func initDatabase(ctx context.Context, owner account) (cert, key string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("initialise database: %w", err)
		}
	}()
	for _, dir := range []string{filepath.Dir(socket), dataDir} {
		if err := os.Chown(dir, owner.uid, -1); err != nil {
			return "", "", err
		}
	}
	cmd := exec.CommandContext(ctx, "mariadb-install-db", "--user="+owner.name, "--datadir="+dataDir,
		"--skip-test-db", "--auth-root-authentication-method=normal")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("%w: %s", err, out)
	}
	return certificate(filepath.Dir(socket), owner.uid)
}

// createDatabase makes slurmdbd's database. slurmdbd can do that itself, but its first
// start then fails with MariaDB 11.8.9 (_check_mysql_concat_is_sane: null result).
func createDatabase(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "mariadb-admin", "--user=root", "--socket="+socket, "create", "slurm_acct_db").CombinedOutput(); err != nil {
		return fmt.Errorf("create database: %w: %s", err, out)
	}
	return nil
}
