#!/usr/bin/env bash
# Runs the tests of the page of serve, the search of the site and the report (build tag browser) in Debian's Chromium, in a container
# without network. Called by "make test-page" from the top of the checkout, with the flags
# of the test program, or -json for events as "go test -json" prints them. SHOTS is a directory for screenshots, none
# without it.
set -euo pipefail

here=cmd/slurmlab/internal/serve
image=slurmlab-browser:latest
base=$(containers/slurm/image/base.sh trixie)
DOCKER_CLI_HINTS=false docker build --network="${NETWORK:-host}" --build-arg BASE="$base" --tag "$image" "$here/browser" >build/browser.log 2>&1 || {
	tail -n 20 build/browser.log >&2
	echo "page: building $image failed; the whole log is build/browser.log" >&2
	exit 1
}
shots=${SHOTS:+$(mkdir -p "$SHOTS" && cd "$SHOTS" && pwd)}
as_printed() { cat; }
show=as_printed
if [ "${1:-}" = -json ]; then
	shift
	set -- -test.v=test2json "$@"
	show=as_events
fi
as_events() { go tool test2json -t -p "github.com/slurmlab/slurmlab/$tested"; }
for tested in "$here" tools/site results/report; do
	go test -c -tags browser -o build/page.test "./$tested"
	docker run --rm --network=none --shm-size=512m \
		--volume "$PWD:/src:ro" --workdir "/src/$tested" ${shots:+--volume "$shots:/shots"} ${shots:+--env SHOTS=/shots} \
		"$image" /src/build/page.test -test.run InBrowser -test.timeout 30m "$@" | "$show"
done
