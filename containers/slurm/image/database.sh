#!/bin/sh
# Installs MariaDB and makes the empty database (62 MB) that each cluster copies (containers/slurm/boot), which may be
# any user's. Run in the image, after "apt-get update".
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
mariadb-install-db --user=mysql --datadir=/usr/share/slurmlab/database --skip-test-db \
	--auth-root-authentication-method=normal --innodb-log-file-size=16M
chmod -R a+rX /usr/share/slurmlab/database
