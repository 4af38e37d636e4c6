#!/bin/sh
# Makes comparison.csv, starts.csv and runs.csv, beside this file, of a directory of series.sh: the
# tables of its experiments below each other, with the experiment before each row. The two kinds
# of a comparison are called one and other. Usage:
#
#   docs/experiments/kinds/tables.sh DIRECTORY
set -eu
series=$1
here=$(dirname "$0")
together() { # together COMMAND...: what it prints of each experiment's directory
	for experiment in "$series"/*/; do
		"$@" "$experiment" |
			sed "1s/^/experiment,/; 1s/Slurm [^,]*,Slurm [^,]*,/one,other,/; 2,\$s/^/$(basename "$experiment"),/"
	done | awk 'NR == 1 || !/^experiment,/'
}
comparison() { cat "$1/comparison.csv"; }
starts() { cat "$1/starts.csv"; }
runs() { jq -rs -f "$here/parts.jq" "$1"/*/run.json | tr -d '"'; }
for table in comparison starts runs; do
	together $table >"$here/$table.csv"
done
