#!/bin/sh
# Installs MariaDB and packs the database that each cluster begins with (containers/slurm/boot): 62 MB, nearly all of
# them zeros. Run in the image, after "apt-get update".
#
# mariadb-server would bring Perl, Galera and rsync, 36 packages with 195 MB, which no cluster needs: it is the packages
# of the server's and the client's program, and of mariadb-server and mariadb-client a file each.
set -eu

DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mariadb-client-core mariadb-server-core
packages=$(mktemp -d)
cd "$packages"
apt-get download mariadb-client mariadb-server
dpkg-deb --fsys-tarfile mariadb-client_*.deb | tar -xC / ./usr/bin/mariadb-admin
dpkg-deb --fsys-tarfile mariadb-server_*.deb | tar -xC / ./etc/mysql/mariadb.conf.d/50-server.cnf
rm -r "$packages"

useradd --system --home-dir /nonexistent --no-create-home --shell /bin/false mysql
install -d -o mysql -g mysql /var/lib/mysql
mkdir -p /usr/share/slurmlab
# slurmdbd can make its database itself, but its first start then fails with MariaDB 11.8.9 (_check_mysql_concat_is_sane:
# null result).
# Only MariaDB's user and root enter the socket's directory (boot.initDatabase), so accounts need no password. There is
# root's, and slurm's where the whole cluster is that user's; none is for others or without a name. unix_socket
# authentication would look the user up in /etc/passwd at each connection. Where that file is slow, as on a FUSE file
# system, a jump clock takes the wait for idleness, and slurmdbd's connection times out. While the tables are made GRANT
# is not there.
cat >/tmp/create.sql <<'END'
CREATE DATABASE slurm_acct_db;
DELETE FROM mysql.global_priv WHERE User NOT IN ('root', 'mariadb.sys', 'PUBLIC');
INSERT INTO mysql.global_priv (Host, User, Priv)
	SELECT Host, 'slurm', Priv FROM mysql.global_priv WHERE User = 'root' AND Host = 'localhost';
END
mariadb-install-db --user=mysql --datadir=/var/lib/mysql --skip-test-db --extra-file=/tmp/create.sql \
	--auth-root-authentication-method=normal --innodb-log-file-size=16M
tar -C / --format=pax --sparse --hole-detection=raw --sort=name -czf /usr/share/slurmlab/database.tar.gz var/lib/mysql
find /var/lib/mysql -mindepth 1 -delete
rm /tmp/create.sql
