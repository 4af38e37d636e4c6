#!/bin/sh
# Runs a command in the toolbox container, at the top of the checkout, with the
# host's Go: the same compiler and modules everywhere, and no download inside a
# container. Called from the top of the checkout.
#
#   toolbox.sh COMMAND [ARGUMENT...]
set -eu

goroot=$(go env GOROOT)
modcache=$(go env GOMODCACHE)
go mod download
mkdir -p build/gocache
exec docker run --rm --network=none \
	--user "$(id -u):$(id -g)" \
	--volume "$PWD:/src" --workdir /src \
	--volume "$goroot:/usr/local/go:ro" \
	--volume "$modcache:/go/pkg/mod:ro" \
	--env HOME=/tmp --env GOMODCACHE=/go/pkg/mod --env GOPROXY=off \
	--env GOCACHE=/src/build/gocache \
	--env PATH=/usr/local/go/bin:/usr/bin:/bin \
	"${TOOLBOX:-slurmlab-toolbox:latest}" "$@"
