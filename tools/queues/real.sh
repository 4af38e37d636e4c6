#!/bin/sh
# Plays windows of queues on the real Slurm, one run after the other. What has its
# metrics already is left out, so that a stopped script goes on where it was.
#
#   go run ./tools/queues write --traces TRACES --part report --queue kth,nasa --load 0.9 --jobs 300 WINDOWS
#   tools/queues/real.sh WINDOWS RUNS --core 1
#   slurmlab metrics --format csv RUNS/*
#
# POLICIES are those to play, by default backfill-whole-queue, backfill and auction. Everything after the second argument is
# handed to slurmlab run. Policies of Slurm's own from queues.yaml, such as interval-5, are in policies.yaml beside the windows.
set -eu
windows=$1 runs=$2
shift 2
mkdir -p "$runs"
for jobs in "$windows"/*.csv; do
  name=$(basename "$jobs" .csv)
  for policy in ${POLICIES:-backfill-whole-queue backfill auction}; do
    out=$runs/$name-$policy
    [ -e "$out/metrics.json" ] && continue
    rm -rf "$out"
    "${SLURMLAB:-slurmlab}" run --machine "$windows/${name%-*-*}.yaml" --workload "$jobs" --policy-file "$windows/policies.yaml" --policy "$policy" --out "$out" "$@"
  done
done
