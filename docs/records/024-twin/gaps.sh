#!/bin/sh
# How long a node stays free between two jobs, of which 200 fill it one after the other.
#
#   docs/records/024-twin/gaps.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1"
printf 'name: one\nnodes: 1\ncores: 8\n' >one.yaml
{
  echo job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class
  for i in $(seq 200); do echo "$i,$i,$((20 + i % 17)),600,1,8,8,0,0,0,a"; done
} >jobs.csv
for backend in frontend external slurmd; do
  for policy in fifo backfill-whole-queue backfill; do
    "${SLURMLAB:-slurmlab}" run --machine one.yaml --workload jobs.csv --policy "$policy" --backend "$backend" --quiet --out "$backend-$policy" >/dev/null
  done
done
python3 "$here/gaps.py" */
