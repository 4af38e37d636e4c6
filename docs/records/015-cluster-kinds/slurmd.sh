#!/bin/sh
# Measures how many nodes with a slurmd each one core carries: machines of NODES nodes
# with three jobs of a whole node for each, 300 to 900 s long, under backfill and the jump
# clock, on core 0 and one after the other. Runs that are there are not made again.
# Usage, at the top of the checkout:
#
#   docs/records/015-cluster-kinds/slurmd.sh DIRECTORY [NODES...]
#
# SLURMLAB is the program (build/slurmlab), IMAGE the image. memory.csv has the largest
# memory of the container (MB) and number of processes and threads that a look every two
# seconds found. boot.sh measures the boots.
set -eu
out=$1
shift
[ $# -gt 0 ] || set -- 16 32 64 128 256
slurmlab=${SLURMLAB:-build/slurmlab}
mkdir -p "$out"
[ -e "$out/memory.csv" ] || echo nodes,container_mb,pids >"$out/memory.csv"
for nodes; do
	run=$out/n$nodes
	[ ! -e "$run/metrics.json" ] || continue
	printf 'name: n%d\nnodes: %d\ncores: 8\ngpus: 2\n' "$nodes" "$nodes" >"$out/n$nodes.yaml"
	awk -v jobs=$((3 * nodes)) 'BEGIN {srand(1); for (i = 0; i < jobs; i++) print 300 + int(601 * rand()), "-N 1 -n 8"}' >"$out/n$nodes.txt"
	"$slurmlab" run --backend slurmd --image "${IMAGE:-slurmlab:26.05}" --machine "$out/n$nodes.yaml" --workload "$out/n$nodes.txt" \
		--policy backfill --core 0 --quiet --out "$run" >/dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		id=$(docker ps -q --filter "label=org.slurmlab.name=n$nodes")
		[ -z "$id" ] || docker stats --no-stream --format '{{.MemUsage}} {{.PIDs}}' "$id" 2>/dev/null || true
		sleep 2
	done | awk -v nodes="$nodes" '{m = $1 + 0; if ($1 ~ /GiB/) m *= 1024; if (m > most) most = m; if ($NF > pids) pids = $NF}
		END {printf "%d,%.0f,%d\n", nodes, most, pids}' >>"$out/memory.csv"
	wait $pid
done
jq -rs -f "$(dirname "$0")/parts.jq" "$out"/*/run.json
