#!/bin/sh
# host's Go: the same compiler, modules and build cache everywhere, so that a package without
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
	--user "$(id -u):$(id -g)" \
	--volume "$PWD:/src" --workdir /src \
	--volume "$goroot:/usr/local/go:ro" \
	--volume "$modcache:/go/pkg/mod:ro" \
	--env HOME=/tmp --env GOMODCACHE=/go/pkg/mod --env GOPROXY=off \
	--volume "$gocache:/go/cache" --env GOCACHE=/go/cache \
	--env PATH=/usr/local/go/bin:/usr/bin:/bin \
	"${TOOLBOX:-slurmlab-toolbox:latest}" "$@"
