#!/bin/sh
# Makes the 60 runs of killed.yaml twice: in "plain" without an interruption, and in "killed" with
# three SIGKILLs at random instants, which kills.csv records. A series that was interrupted
# goes on. Usage, at the top of the checkout:
#
#   docs/records/023-campaigns/killed.sh DIRECTORY
#
# SLURMLAB is the program (build/slurmlab), CORE the core of the clusters (1), and LONGEST the most
# seconds between a start and its kill (300).
set -eu
out=$1
slurmlab=${SLURMLAB:-build/slurmlab}
mkdir -p "$out"
[ -e "$out/study.yaml" ] || cp "$(dirname "$0")/killed.yaml" "$out/study.yaml"
goOn() { # goOn FOLDER: a core that other work shares is told by the runs, not waited for
	exec "$slurmlab" campaign run "$out/study.yaml" --out "$out/$1" --core "${CORE:-1}" --repeats 0 --quiet
}
complete() { "$slurmlab" campaign status "$out/killed" --format json | jq .complete; }
(goOn plain)
kills=$out/kills.csv
[ -e "$kills" ] || echo kill,seconds,complete >"$kills"
while n=$(wc -l <"$kills") && [ "$n" -le 3 ]; do
	goOn killed &
	pid=$!
	seconds=$(shuf -i "20-${LONGEST:-300}" -n 1)
	sleep "$seconds"
	kill -KILL $pid || {
		echo "the campaign ended before kill $n after $seconds s: choose a smaller LONGEST" >&2
		exit 1
	}
	wait $pid || true
	echo "$n,$seconds,$(complete)" >>"$kills"
done
(goOn killed)
for folder in plain killed; do
	"$slurmlab" campaign report "$out/$folder" >"$out/$folder.txt"
done
