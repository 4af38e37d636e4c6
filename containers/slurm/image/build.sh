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
# points of package faultpoint), NETWORK (of docker build; host by default, as apt may
# not reach its mirror from a bridged build). For 26.05 TARBALL is a tarball of Slurm that
# is compiled instead of installing Debian's packages, or "apt" for that of the mirror's
# source package; TARBALL_SHA256 its checksum, if it is not that of the release below.
set -eu

version=$1
series=$2
image=$IMAGE
toolbox=$TOOLBOX
network=${NETWORK:-host}
here=$(dirname "$0")
context=build/image-$series${FAULTS:+-faults}
# Slurm 26.05.5, as Debian's source package 26.05.5-1 has it.
tarball=${TARBALL:-}
tarball_sum=${TARBALL_SHA256:-42cc1177e14db84a0f1407ed1e01f7d0e5e12a3cb1a12da3ce00d63e17021bb3}

say() { printf 'image: %s\n' "$*" >&2; }

case $series in
24.11) suite=trixie recipe=frontend ;;
26.05) suite=forky recipe=packages ;;
*)
	say "SLURM=$series is not known, want 24.11 or 26.05"
	exit 1
	;;
esac
compiles=
if [ "$series" = 24.11 ] || [ -n "$tarball" ]; then
	compiles=" (Slurm is compiled the first time: three minutes of processor time)"
fi
if [ "$series" = 24.11 ] && [ -n "$tarball" ]; then
	say "TARBALL is for SLURM=26.05; that of 24.11 is fetched by apt"
	exit 1
fi
build() { # build TARGET TAG [ARGUMENT...]
	target=$1 name=$2 log=$context-$1.log
	shift 2
	DOCKER_CLI_HINTS=false docker build --network="$network" --target "$target" --tag "$name" \
		--build-arg BASE="$base" --build-arg VERSION="$version" "$@" --file "$here/$recipe/Dockerfile" "$context" >"$log" 2>&1 || {
		if fault=$(grep -o 'image fault: .*' "$log"); then
			say "${fault#image fault: }"
			exit 1
		fi
		tail -n 40 "$log" >&2
		say "building $name failed; the whole log is $log"
		exit 1
	}
}

in_toolbox() { TOOLBOX=$toolbox "$here/toolbox.sh" "$@"; }

mkdir -p "$context"
rm -f "$context/slurm.tarball"
cp "$here/check-tarball.sh" "$here/database.sh" "$here/locale.sh" "$here/$recipe"/*.sh "$context"
if [ -n "$tarball" ] && [ "$tarball" != apt ]; then
	fault=$("$here/check-tarball.sh" "$tarball" "$series" "$tarball_sum") || {
		say "${fault#image fault: }"
		exit 1
	}
	cp "$tarball" "$context/slurm.tarball"
	tarball=$(basename "$tarball")
fi
base=$("$here/base.sh" "$suite")
say "toolbox$compiles"
build toolbox "$toolbox" --build-arg TARBALL="$tarball" --build-arg TARBALL_SHA256="$tarball_sum"
say "virtual clock"
in_toolbox make --silent -C containers/slurm/vclock OUT="/src/$context"
say "slurmlabd"
# With the resolvers in Go the packages that use net are the same whichever C compiler a toolbox has.
in_toolbox go build -tags highs,netgo,osusergo${FAULTS:+,faults} \
	-ldflags "-s -w -X main.version=$version" -o "$context/slurmlabd" ./cmd/slurmlabd
say "helper"
case $series in
24.11)
	# The build ends if the tarball has another checksum than the Dockerfile.
	sources="tarball slurm-wlm_24.11.5.orig.tar.gz sha256:$(sed -n 's/^ARG SLURM_SHA256=//p' "$here/frontend/Dockerfile")"
	in_toolbox make --silent -C slurmctl/channel/helper OUT="/src/$context" SLURM="-L/opt/slurm/lib -Wl,-rpath,/opt/slurm/lib"
	;;
26.05)
	for part in names script; do
		in_toolbox make --silent -C "containers/slurm/external/$part" OUT="/src/$context"
	done
	sources=$(in_toolbox cat /usr/share/slurmlab/sources)
	in_toolbox make --silent -C slurmctl/channel/helper OUT="/src/$context"
	;;
esac
slurm=$(in_toolbox sh -c 'PATH=$PATH:/usr/sbin:/opt/slurm/sbin slurmctld -V' | sed 's/.* //')
build runtime "$image" --build-arg TARBALL="$tarball" --build-arg TARBALL_SHA256="$tarball_sum" \
	--build-arg SLURM="$slurm" --build-arg SOURCES="$sources"
say "$image is ready, $(docker image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MB", $1/1e6}')"
