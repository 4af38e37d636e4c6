#!/bin/sh
# Builds the slurmlab image: base system, Slurm, toolbox, virtual clock,
# slurmlabd, runtime.
# Called by "make image" from the top of the checkout.
#
#   build.sh VERSION
#
# Environment: IMAGE, TOOLBOX (image names), NETWORK (of docker build; host by
# default, as apt may not reach its mirror from a bridged build).
set -eu

version=$1
image=${IMAGE:-slurmlab:latest}
toolbox=${TOOLBOX:-slurmlab-toolbox:latest}
network=${NETWORK:-host}
base=debian:trixie-slim
here=$(dirname "$0")
context=build/image

say() { printf 'image: %s\n' "$*" >&2; }

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
	mmdebstrap --quiet --variant=minbase --include=ca-certificates --format=tar \
		trixie build/base.tar
	docker import --change 'LABEL org.slurmlab.base=mmdebstrap' build/base.tar "$base" >/dev/null
	rm build/base.tar
}

build() { # build TARGET TAG
	DOCKER_CLI_HINTS=false docker build --network="$network" --target "$1" --tag "$2" \
		--build-arg VERSION="$version" --file "$here/Dockerfile" "$context" \
		>"build/image-$1.log" 2>&1 || {
		tail -n 40 "build/image-$1.log" >&2
		say "building $2 failed; the whole log is build/image-$1.log"
		exit 1
	}
}

mkdir -p "$context"
if ! docker image inspect "$base" >/dev/null 2>&1; then
	timeout 120 docker pull --quiet "$base" >/dev/null 2>&1 || make_base
fi
say "toolbox (Slurm is compiled the first time, 3-5 minutes)"
build toolbox "$toolbox"
say "virtual clock"
TOOLBOX=$toolbox "$here/toolbox.sh" make --silent -C containers/slurm/vclock OUT="/src/$context"
say "slurmlabd"
TOOLBOX=$toolbox "$here/toolbox.sh" go build -tags highs -trimpath \
	-ldflags "-s -w -X main.version=$version" -o "$context/slurmlabd" ./cmd/slurmlabd
build runtime "$image"
say "$image is ready, $(docker image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MB", $1/1e6}')"
