#!/bin/sh
# Prints the name of the image that this checkout's images of a suite of Debian begin with, and makes that image if it
# is missing: Debian's slim image, or where that cannot be pulled one of mmdebstrap. Called from the top of the checkout.
#
#   base.sh SUITE
#
# The image has the label org.slurmlab.checkout with the id of the checkout. Images that begin with it, the builder's
# intermediate ones among them, inherit the label. By it .ci/clean knows what to remove.
set -eu

suite=$1
here=$(dirname "$0")
id=$("$here/checkout.sh")
base=slurmlab-base:$suite-$id
slim=debian:$suite-slim
label=org.slurmlab.checkout=$id

say() { printf 'image: %s\n' "$*" >&2; }

install_mmdebstrap() {
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		say "mmdebstrap is missing; install it with: sudo apt-get install mmdebstrap"
		exit 1
	fi
	# The bases of two suites may be made at the same time, and only one apt can run.
	flock build/mmdebstrap.lock sh -c \
		'command -v mmdebstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq mmdebstrap; }' >/dev/null
}

# A mirror may be a copy that is past its Valid-Until; signatures are checked
# all the same. The images of clusters remove this setting (installed.sh). As in the slim image, packages come without manuals and are not synced file by file.
bootstrap() {
	say "$slim cannot be pulled: making $base with mmdebstrap"
	command -v mmdebstrap >/dev/null || install_mmdebstrap
	mmdebstrap --quiet --variant=minbase --include=ca-certificates --format=tar \
		--aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' \
		--dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
		"$suite" "build/base-$suite.tar" >&2
	docker import --change "LABEL $label" "build/base-$suite.tar" "$base" >/dev/null
	rm "build/base-$suite.tar"
}

make_base() {
	if docker image inspect "$slim" >/dev/null 2>&1 || timeout 120 docker pull --quiet "$slim" >/dev/null 2>&1; then
		printf 'FROM %s\nLABEL %s\n' "$slim" "$label" |
			DOCKER_CLI_HINTS=false docker build --no-cache --tag "$base" - >"build/base-$suite.log" 2>&1 || {
			tail -n 20 "build/base-$suite.log" >&2
			exit 1
		}
	else
		bootstrap
	fi
}

# Images that need the same base may be built at the same time.
mkdir -p build
exec 9>"build/base-$suite.lock"
flock 9
docker image inspect "$base" >/dev/null 2>&1 || make_base
echo "$base"
