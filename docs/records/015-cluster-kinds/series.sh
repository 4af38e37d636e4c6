#!/bin/sh
# Compares backends, five seeds each: workloads V.1, V.2, V.3 and IV.2 on S and 1.NC on
# tsubame, the 237 jobs on tsubame, and a machine that is small enough for all three kinds.
# Runs that are there are not made again, so that a series that was interrupted goes on.
# Usage, at the top of the checkout:
#
#   docs/records/015-cluster-kinds/series.sh DIRECTORY
#
# SLURMLAB is the program (build/slurmlab), IMAGE_24_11 and IMAGE_26_05 are the images, and CORE
# the core of the clusters (auto).
set -eu
out=$1
slurmlab=${SLURMLAB:-build/slurmlab}
kinds=docs/records/015-cluster-kinds
mkdir -p "$out"
image() { # image BACKEND
	case $1 in
	frontend) echo "${IMAGE_24_11:-slurmlab:24.11}" ;;
	*) echo "${IMAGE_26_05:-slurmlab:latest}" ;;
	esac
}
pair() { # pair BACKEND BACKEND NAME FLAG...: under backfill and under the auction
	one=$1 other=$2 name=$3
	shift 3
	for policy in backfill auction; do
		[ -e "$out/$name-$policy/starts.csv" ] || "$slurmlab" compare --backend "$one,$other" --image "$(image "$one"),$(image "$other")" \
			--policies $policy "$@" --replicas 5 --parallel 1 --core "${CORE:-auto}" --quiet --out "$out/$name-$policy" >/dev/null
	done
}
for workload in V.2 IV.2 V.1 V.3; do
	pair frontend external "S-$workload" --machine S --workload $workload --theoretical-runtime 20m
done
pair frontend external tsubame-1.NC --machine tsubame --workload 1.NC --theoretical-runtime 30m
pair frontend external small-series --machine $kinds/small.yaml --workload V.2 --theoretical-runtime 60m
pair external slurmd small-nodes --machine $kinds/small.yaml --workload V.2 --theoretical-runtime 60m
pair frontend external tsubame-237 --machine tsubame --workload docs/records/003-jump-clock/tsubame-237.txt
