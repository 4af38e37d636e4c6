#!/bin/sh
# Runs the tests of the page and of the site's search (build tag browser) in Debian's Chromium, in a container
# without network. Called by "make test-page" from the top of the checkout, with the flags
# of the test program. SHOTS is a directory for screenshots, none without it.
set -eu

here=cmd/slurmlab/internal/serve
image=slurmlab-browser:latest
base=$(sed -n 's/^FROM //p' "$here/browser/Dockerfile")
docker image inspect "$base" >/dev/null 2>&1 || docker pull --quiet "$base" >/dev/null 2>&1 || {
	echo "page: $base is missing and cannot be pulled; \"make image\" makes it" >&2
	exit 1
}
mkdir -p build
DOCKER_CLI_HINTS=false docker build --network="${NETWORK:-host}" --tag "$image" "$here/browser" >build/browser.log 2>&1 || {
	tail -n 20 build/browser.log >&2
	echo "page: building $image failed; the whole log is build/browser.log" >&2
	exit 1
}
shots=${SHOTS:+$(mkdir -p "$SHOTS" && cd "$SHOTS" && pwd)}
for tested in "$here" cmd/site; do
	go test -c -tags browser -o build/page.test "./$tested"
	docker run --rm --network=none --shm-size=512m \
		--volume "$PWD:/src:ro" --workdir "/src/$tested" ${shots:+--volume "$shots:/shots"} ${shots:+--env SHOTS=/shots} \
		"$image" /src/build/page.test -test.run InBrowser -test.timeout 30m "$@"
done
