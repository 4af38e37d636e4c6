#!/bin/sh
# Builds the slurmlab image of one kind of cluster: base system, Slurm, toolbox,
# virtual clock, slurmlabd, runtime.
# Called by "make image" from the top of the checkout.
#
#   build.sh VERSION SERIES
#
# SERIES is the release series of Slurm, 24.11 or 26.05.
#
# Environment: IMAGE, TOOLBOX (image names), FAULTS (not empty for slurmlabd with the
# points of package faultpoint), NETWORK (of docker build; host by
# default, as apt may not reach its mirror from a bridged build).
set -eu

version=$1
series=$2
image=$IMAGE
toolbox=$TOOLBOX
network=${NETWORK:-host}
here=$(dirname "$0")
context=build/image-$series${FAULTS:+-faults}

say() { printf 'image: %s\n' "$*" >&2; }

case $series in
24.11) suite=trixie ;;
26.05) suite=forky ;;
*)
	say "SLURM=$series is not known, want 24.11 or 26.05"
	exit 1
	;;
esac
base=debian:$suite-slim

make_base() {
	say "$base cannot be pulled: making it here with mmdebstrap"
	if ! command -v mmdebstrap >/dev/null; then
		if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
			say "mmdebstrap is missing; install it with: sudo apt-get install mmdebstrap"
			exit 1
		fi
		apt-get update -qq && apt-get install -y -qq mmdebstrap >/dev/null
	fi
	mkdir -p build
	# A mirror may be a copy that is past its Valid-Until; signatures are checked
	# all the same.
	mmdebstrap --quiet --variant=minbase --include=ca-certificates --format=tar \
		--aptopt='Acquire::Check-Valid-Until "false"' "$suite" "build/base-$suite.tar"
	docker import --change 'LABEL org.slurmlab.base=mmdebstrap' "build/base-$suite.tar" "$base" >/dev/null
	rm "build/base-$suite.tar"
}

build() { # build TARGET TAG [ARGUMENT...]
	target=$1 name=$2 log=$context-$1.log
	shift 2
	DOCKER_CLI_HINTS=false docker build --network="$network" --target "$target" --tag "$name" \
		--build-arg VERSION="$version" "$@" --file "$here/$series/Dockerfile" "$context" >"$log" 2>&1 || {
		if grep '^slurmlab: the mirror has Slurm' "$log" >&2; then
			say "Debian has moved on to another series; choose a mirror of an earlier day (https://snapshot.debian.org) in $base"
			exit 1
		fi
		tail -n 40 "$log" >&2
		say "building $name failed; the whole log is $log"
		exit 1
	}
}

in_toolbox() { TOOLBOX=$toolbox "$here/toolbox.sh" "$@"; }

mkdir -p "$context"
if ! docker image inspect "$base" >/dev/null 2>&1; then
	timeout 120 docker pull --quiet "$base" >/dev/null 2>&1 || make_base
fi
case $series in
24.11) say "toolbox (Slurm is compiled the first time, 3-5 minutes)" ;;
*) say "toolbox" ;;
esac
build toolbox "$toolbox"
say "virtual clock"
in_toolbox make --silent -C containers/slurm/vclock OUT="/src/$context"
say "slurmlabd"
in_toolbox go build -tags highs${FAULTS:+,faults} -trimpath \
	-ldflags "-s -w -X main.version=$version" -o "$context/slurmlabd" ./cmd/slurmlabd
case $series in
24.11)
	build runtime "$image"
	;;
26.05)
	say "helper"
	in_toolbox make --silent -C containers/slurm/external/jobs OUT="/src/$context"
	packages=$(in_toolbox cat /usr/share/slurmlab/packages)
	slurm=$(printf '%s\n' "$packages" | sed -n 's/^slurmctld \([0-9.]*\)-.*/\1/p')
	build runtime "$image" --build-arg SLURM="$slurm" --build-arg PACKAGES="$packages"
	;;
esac
say "$image is ready, $(docker image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MB", $1/1e6}')"
