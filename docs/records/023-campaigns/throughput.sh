#!/bin/sh
# Makes the runs of throughput.yaml, one after the other on core CORE (1), and looks twice a
# second at the memory of their containers: memory.csv has the largest of each run, parts.csv where its real
# time goes. A series that was interrupted goes on. Usage, at the top of the checkout:
#
#   docs/records/023-campaigns/throughput.sh DIRECTORY
#
# SLURMLAB is the program (build/slurmlab).
set -eu
out=$1
slurmlab=${SLURMLAB:-build/slurmlab}
here=$(dirname "$0")
mkdir -p "$out"
cp "$here/throughput.yaml" "$out/study.yaml"
"$slurmlab" campaign run "$out/study.yaml" --out "$out/runs" --core "${CORE:-1}" --repeats 0 --quiet &
pid=$!
# sample: bytes of programs and of files in memory, by the kernel's accounting (cgroup v1 or v2).
# The cache of files on the disk is left out: the kernel takes it away where memory is wanted.
sample() {
	docker ps --no-trunc --filter label=org.slurmlab.role=run --format '{{.ID}} {{.Label "org.slurmlab.owner"}}' | grep "$(basename "$out")/runs/" |
		while read -r id owner; do
			for stat in /sys/fs/cgroup/memory/docker/"$id"/memory.stat /sys/fs/cgroup/system.slice/docker-"$id".scope/memory.stat; do
				[ -e "$stat" ] && awk -v run="${owner##*/}" '
					$1 == "total_rss" || $1 == "anon" { rss = $2 }
					$1 == "total_shmem" || $1 == "shmem" && !shmem { shmem = $2 }
					END { print run "," rss "," shmem }' "$stat" 2>/dev/null
			done
		done
}
while kill -0 $pid 2>/dev/null; do
	sample >>"$out/samples.csv" || true
	sleep 0.5
done
wait $pid
awk -F, '
	$2 + $3 > most[$1] { most[$1] = $2 + $3; programs[$1] = $2; files[$1] = $3 }
	END { for (run in most) printf "%s,%.0f,%.0f,%.0f\n", run, most[run] / 2^20, programs[run] / 2^20, files[run] / 2^20 }' "$out/samples.csv" |
	sort | sed '1i run,most_mib,programs_mib,files_mib' >"$out/memory.csv"
jq -rs -f "$here/parts.jq" "$out"/runs/*/run.json >"$out/parts.csv"
