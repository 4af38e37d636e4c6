#!/bin/sh
# Runs a command in the toolbox container, at the top of the checkout, with the
# host's Go: the same compiler, modules and build cache everywhere, so that a package without
# cgo is compiled once, and no download inside a container. Called from the top of the checkout.
#
#   toolbox.sh COMMAND [ARGUMENT...]
set -eu

goroot=$(go env GOROOT)
modcache=$(go env GOMODCACHE)
gocache=$(go env GOCACHE)
go mod download
# Otherwise Docker would make it, as root.
mkdir -p "$gocache"
exec docker run --rm --network=none \
	--label "org.slurmlab.checkout=$("$(dirname "$0")/checkout.sh")" \
	--user "$(id -u):$(id -g)" \
	--volume "$PWD:/src" --workdir /src \
	--volume "$goroot:/usr/local/go:ro" \
	--volume "$modcache:/go/pkg/mod:ro" \
	--env CI --env HOME=/tmp --env GOMODCACHE=/go/pkg/mod --env GOPROXY=off \
	--volume "$gocache:/go/cache" --env GOCACHE=/go/cache \
	--env PATH=/usr/local/go/bin:/usr/bin:/bin \
	"${TOOLBOX:-slurmlab-toolbox:latest}" "$@"
