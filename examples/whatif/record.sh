#!/bin/sh
# Makes the files of this folder again: its configuration from the tables of generate.py, and sacct.txt from a run of the jobs that
# generate.py draws, under the scheduler of slurm.conf on a real Slurm. It works in a folder of its own, WORK.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/generate.py" files "$here"
mkdir -p "${WORK:=cygnus-record}" && cd "$WORK"
slurmlab machine import "$here/slurm.conf" "$here/gres.conf" "$here/qos.txt" "$here/assoc.cfg" --out cygnus.yaml --policy-out cygnus-policy.yaml
"$here/generate.py" jobs >cygnus-jobs.csv
slurmlab run --machine cygnus.yaml --workload cygnus-jobs.csv --policy-file cygnus-policy.yaml --policy site --start 2026-03-02T05:00:00Z --out cygnus
"$here/generate.py" dump cygnus >"$here/sacct.txt"
