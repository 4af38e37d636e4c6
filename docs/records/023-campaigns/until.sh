#!/bin/sh
# Makes the runs of until.yaml, which adds seeds until the slowdown is known to ± 10 %. One SIGKILL
# comes at a random instant, and kills.csv records it. A series that was interrupted goes on. Usage, at
# the top of the checkout:
#
#   docs/records/023-campaigns/until.sh DIRECTORY
#
# SLURMLAB is the program (build/slurmlab), CORE the core of the clusters (1), and LONGEST the most
# seconds between the start and the kill (180).
set -eu
out=$1
slurmlab=${SLURMLAB:-build/slurmlab}
mkdir -p "$out"
[ -e "$out/study.yaml" ] || cp "$(dirname "$0")/until.yaml" "$out/study.yaml"
goOn() { exec "$slurmlab" campaign run "$out/study.yaml" --out "$out/runs" --core "${CORE:-1}" --repeats 0 --quiet; }
kills=$out/kills.csv
if [ ! -e "$kills" ]; then
	goOn &
	pid=$!
	seconds=$(shuf -i "20-${LONGEST:-180}" -n 1)
	sleep "$seconds"
	kill -KILL $pid || {
		echo "the campaign ended before the kill after $seconds s: choose a smaller LONGEST" >&2
		exit 1
	}
	wait $pid || true
	echo kill,seconds,complete,seeds >"$kills"
	"$slurmlab" campaign status "$out/runs" --format json | jq -r --arg s "$seconds" '[1, ($s | tonumber), .complete, .seeds] | @csv' >>"$kills"
fi
(goOn)
"$slurmlab" campaign report "$out/runs" >"$out/runs.txt"
