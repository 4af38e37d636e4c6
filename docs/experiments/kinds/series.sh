#!/bin/sh
# Compares both kinds of cluster: workloads V.1, V.2, V.3 and IV.2 on S and 1.NC on
# tsubame, five seeds each, and the 237 jobs on tsubame under the auction. Runs that are
# there are not made again, so that a series that was interrupted goes on. Usage, at the
# top of the checkout:
#
#   docs/experiments/kinds/series.sh DIRECTORY
#
# SLURMLAB is the program (build/slurmlab), IMAGES are the images of 24.11 and 26.05 with
# a comma between them.
set -eu
out=$1
slurmlab=${SLURMLAB:-build/slurmlab}
images=${IMAGES:-slurmlab:latest,slurmlab:26.05}
mkdir -p "$out"
both() { # both NAME POLICY FLAG...
	name=$1-$2 policy=$2
	shift 2
	[ -e "$out/$name/starts.csv" ] || "$slurmlab" compare --slurm 24.11,26.05 --image "$images" --policies "$policy" "$@" \
		--parallel 1 --quiet --out "$out/$name" >/dev/null
}
for workload in V.2 IV.2 V.1 V.3; do
	for policy in backfill auction; do
		both "S-$workload" $policy --machine S --workload $workload --estimated-runtime 20m --replicas 5
	done
done
for policy in backfill auction; do
	both tsubame-1.NC $policy --machine tsubame --workload 1.NC --estimated-runtime 30m --replicas 5
done
both tsubame-237 auction --machine tsubame --workload docs/experiments/tsubame-237.txt --replicas 5
