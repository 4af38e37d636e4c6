#!/bin/sh
# Builds the slurmlab image of one backend: base system, Slurm, toolbox,
# virtual clock, slurmlabd, runtime.
# Called by "make image" from the top of the checkout.
#
#   build.sh VERSION SERIES
#
# SERIES is a release series of Slurm in the table containers/slurm/backend/series.txt, which says what builds its image.
#
# Environment: IMAGE, TOOLBOX (image names), FAULTS (not empty for slurmlabd with the
# points of package faultpoint), NETWORK (of docker build; host by default, as apt may
# not reach its mirror from a bridged build). Where Debian's packages are installed TARBALL is
# a tarball of Slurm that is compiled instead, or "apt" for that of the mirror's
# source package; TARBALL_SHA256 its checksum, if it is not that of the table.
set -eu

version=$1
series=$2
image=$IMAGE
toolbox=$TOOLBOX
network=${NETWORK:-host}
here=$(dirname "$0")
context=build/image-$series${FAULTS:+-faults}
tarball=${TARBALL:-}

say() { printf 'image: %s\n' "$*" >&2; }

table() { grep -v '^#' "$here/../backend/series.txt"; }

listed() { # listed [RECIPE]: the series of a recipe, or all of them, as "24.11, 26.05 or 26.11"
	table | awk -v recipe="${1:-}" 'recipe == "" || $4 == recipe { all[n++] = $1 }
		END { for (i = 0; i < n; i++) printf "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " or ", all[i] }'
}

# As text: 26.1 is not 26.10.
row=$(table | awk -v series="$series" '$1 "" == series ""')
if [ -z "$row" ]; then
	say "SLURM=$series is not known, want $(listed)"
	exit 1
fi
# shellcheck disable=SC2086 # the columns of the table
set -- $row
suite=$3 recipe=$4
tarball_sum=${TARBALL_SHA256:-$5}
compiles=
if [ "$recipe" = frontend ] || [ -n "$tarball" ]; then
	compiles=" (Slurm is compiled the first time: three minutes of processor time)"
fi
if [ "$recipe" = frontend ] && [ -n "$tarball" ]; then
	say "TARBALL is for SLURM=$(listed packages); apt fetches $series"
	exit 1
fi
build() { # build TARGET TAG [ARGUMENT...]
	target=$1 name=$2 log=$context-$1.log
	shift 2
	DOCKER_CLI_HINTS=false docker build --network="$network" --target "$target" --tag "$name" \
		--build-arg BASE="$base" --build-arg VERSION="$version" --build-arg SERIES="$series" --build-arg SUITE="$suite" "$@" \
		--file "$here/$recipe/Dockerfile" "$context" >"$log" 2>&1 || {
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
cp "$here/check-tarball.sh" "$here/database.sh" "$here/installed.sh" "$here/locale.sh" "$here/$recipe"/*.sh "$context"
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
case $recipe in
frontend)
	# The build ends if the tarball has another checksum than the Dockerfile.
	sources="tarball slurm-wlm_24.11.5.orig.tar.gz sha256:$(sed -n 's/^ARG SLURM_SHA256=//p' "$here/frontend/Dockerfile")"
	in_toolbox make --silent -C slurmctl/channel/helper OUT="/src/$context" SLURM="-L/opt/slurm/lib -Wl,-rpath,/opt/slurm/lib"
	;;
packages)
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
