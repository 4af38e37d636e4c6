#!/bin/sh
# Makes sacct.txt of this folder again: it draws the jobs, runs them under the scheduler of slurm.conf on a Slurm of which
# four nodes are out of service for three hours, and prints its accounting as sacct does. It works in a folder of its own, WORK.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${WORK:=lyra-record}" && cd "$WORK"
slurmlab machine import "$here/slurm.conf" "$here/sacctmgr.txt" --out lyra.yaml --policy-out lyra-policy.yaml
"$here/record.py" jobs >lyra-jobs.csv
"$here/record.py" outage >lyra-outage.csv
slurmlab run --machine lyra.yaml --workload lyra-jobs.csv --events lyra-outage.csv --policy-file lyra-policy.yaml --policy site \
	--start 2026-03-02T07:00:00Z --out lyra
"$here/record.py" dump lyra >"$here/sacct.txt"
