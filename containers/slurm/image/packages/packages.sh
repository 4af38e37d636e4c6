#!/bin/sh
# Installs Debian's packages of Slurm, unmodified, and writes down which they were: a
# mirror has the newest ones only. Run in the image, after "apt-get update".
#
#   packages.sh SERIES SUITE FILE
#
# SUITE is the release of Debian. FILE gets a line "package NAME VERSION sha256:SUM" for each, as apt verified it.
set -eu

series=$1 suite=$2 file=$3
packages='slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin'
remedy="compile Slurm from its tarball (make image-$series TARBALL=FILE), or let \
debian:$suite-slim have a mirror of an earlier day (https://snapshot.debian.org)"

fail() {
	printf 'image fault: %s; %s\n' "$*" "$remedy"
	exit 1
}

candidate() { apt-cache policy "$1" | sed -n 's/^ *Candidate: //p'; }

found=$(candidate slurmctld)
case $found in
"$series".*) ;;
"" | "(none)") fail "the mirror has no package slurmctld" ;;
*) fail "the mirror has Slurm $found, want $series.x" ;;
esac
library=$(apt-cache depends libslurm-dev | sed -n 's/^ *Depends: \(libslurm[0-9].*\)$/\1/p')
[ -n "$library" ] || fail "the mirror has no package libslurm-dev"
for package in $packages $library libslurm-dev; do
	[ "$(candidate "$package")" = "$found" ] ||
		fail "the mirror has slurmctld $found, but no package $package of this version"
done
# The mirror's list of packages may be newer or older than its files.
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --download-only \
	$packages "$library" >download.log 2>&1 || {
	cat download.log
	gone=$(sed -n 's|^E: Failed to fetch [^ ]*/\([^/ ]*\) .*|\1|p' download.log | head -n 1)
	[ -z "$gone" ] || fail "the mirror lists the package $gone, but no longer has it"
	exit 1
}
rm download.log
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages "$library"
for package in $packages $library; do
	sum=$(apt-cache show "$package=$found" | sed -n 's/^SHA256: //p' | head -n 1)
	echo "package $package $found sha256:$sum"
done >"$file"
