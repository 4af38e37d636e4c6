#!/bin/sh
# Measures how fast both kinds of cluster are: each machine under backfill and the
# auction, one run each, on core CORE (0) and one after the other. Runs that are there are not
# made again. Usage, at the top of the checkout:
#
#   docs/records/015-cluster-kinds/speed.sh DIRECTORY [MACHINE...]
#
# SLURMLAB is the program (build/slurmlab), IMAGE_24_11 and IMAGE_26_05 are the images.
set -eu
out=$1
shift
[ $# -gt 0 ] || set -- S M L tsubame
slurmlab=${SLURMLAB:-build/slurmlab}
mkdir -p "$out"
for machine; do
	# 50 jobs on S; runs on the larger machines take no longer than a minute.
	case $machine in
	S) work='--workload V.2 --theoretical-runtime 25m' ;;
	tsubame) work='--workload 1.NC --theoretical-runtime 20m' ;;
	*) work='--workload V.2 --theoretical-runtime 20m' ;;
	esac
	for policy in backfill auction; do
		for backend in frontend external; do
			case $backend in
			frontend) image=${IMAGE_24_11:-slurmlab:24.11} ;;
			*) image=${IMAGE_26_05:-slurmlab:latest} ;;
			esac
			run=$out/$machine-$policy-$backend
			[ -e "$run/metrics.json" ] || $slurmlab run --backend $backend --image "$image" --machine "$machine" $work \
				--policy $policy --seed 1 --core "${CORE:-0}" --quiet --out "$run" >/dev/null
		done
	done
done
jq -rs -f "$(dirname "$0")/parts.jq" "$out"/*/run.json
