#!/usr/bin/env bash
# What looking at a large campaign costs (docs/design/025): a folder with the archives of two real runs, copied for
# SEEDS seeds and ten policies each, as "slurmlab archive --raw" leaves them. The copies differ in what run.json says of them.
#   docs/records/023-campaigns/thousand.sh DIR [SEEDS]
set -euo pipefail
dir=${1:?a directory}
seeds=${2:-1000}
slurmlab=${SLURMLAB:-$PWD/build/slurmlab}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
cd "$dir"
cat >thousand.yaml <<END
machines: S
workloads: V.1
estimated_runtime: 1h
seeds: 1..$seeds
slurm: 26.05
policies:
  - backfill
  - policy: auction
    settings: {window: [20, 50, 100, 150, 200, 250, 300, 400, 600]}
END
if ! test -e two.yaml; then
	sed 's/^seeds: .*/seeds: 1/; s/window: .*\]/window: [20]/' thousand.yaml >two.yaml
	"$slurmlab" campaign run two.yaml --repeats 0
fi
for run in two/S-V.1-*-seed1; do
	printf '%s: %s files, %s bytes' "${run##*/}" "$(find "$run" -type f | wc -l)" "$(find "$run" -type f -printf '%s\n' | paste -sd+ | bc)"
	rm -f "$run.zip"
	"$slurmlab" archive --raw --keep "$run" >/dev/null
	printf ', %s bytes archived raw\n' "$(stat -c %s "$run.zip")"
done
python3 "$here/copies.py" "$seeds" thousand two/S-V.1-*-seed1.zip
printf '%s runs\n' "$(ls thousand | wc -l)"
/usr/bin/time -f '%U s + %S s of processor time, %M KiB of memory' "$slurmlab" campaign status thousand.yaml
if command -v strace >/dev/null; then
	strace -f -c -e trace=%file,%desc -o calls "$slurmlab" campaign status thousand.yaml >/dev/null
	tail -n 1 calls
fi
