#!/bin/sh
# Makes the runs of together.yaml twice: in "one" with one cluster at a time, on core CORE (1), and in "two" with a cluster
# on each of two cores at once. differences.sh DIRECTORY one two compares them. The machine must be quiet. A series that
# was interrupted goes on. Usage, at the top of the checkout:
#
#   docs/records/023-campaigns/together.sh DIRECTORY
#
# SLURMLAB is the program (build/slurmlab).
set -eu
out=$1
slurmlab=${SLURMLAB:-build/slurmlab}
mkdir -p "$out"
cp "$(dirname "$0")/together.yaml" "$out/study.yaml"
"$slurmlab" campaign run "$out/study.yaml" --out "$out/one" --core "${CORE:-1}" --repeats 0 --quiet
"$slurmlab" campaign run "$out/study.yaml" --out "$out/two" --parallel 2 --repeats 0 --quiet
