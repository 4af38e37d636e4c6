#!/bin/sh
# Makes comparison.csv, starts.csv and runs.csv, beside this file, of a directory of series.sh: the
# tables of its experiments below each other, with the experiment before each row. The two kinds
# of a comparison are called one and other. Prints a line of Markdown for each experiment. Usage:
#
#   docs/records/015-cluster-kinds/tables.sh DIRECTORY
set -eu
series=$1
here=$(dirname "$0")
together() { # together COMMAND...: what it prints of each experiment's directory
	for experiment in "$series"/*/; do
		"$@" "$experiment" |
			sed "1s/^/experiment,/; 1s/,metric,n,[^,]*,[^,]*,/,metric,n,one,other,/; 2,\$s/^/$(basename "$experiment"),/"
	done | awk 'NR == 1 || !/^experiment,/'
}
comparison() { cat "$1/comparison.csv"; }
starts() { cat "$1/starts.csv"; }
runs() { jq -rs -f "$here/parts.jq" "$1"/*/run.json | tr -d '"'; }
for table in comparison starts runs; do
	together $table >"$here/$table.csv"
done
# The line has what starts.csv says of all jobs, the difference of the mean wait with its interval,
# and the metrics of the jobs whose interval excludes zero.
echo '| experiment | kinds | jobs | start in the same second | starts apart: median / 95th percentile / largest | wait, difference | intervals without zero |'
echo '|---|---|--:|--:|--:|---|---|'
for experiment in "$series"/*/; do
	tail -n 1 "$experiment/starts.csv" | cat - "$experiment/comparison.csv" | awk -F, -v name="$(basename "$experiment")" '
		NR == 1 { starts = sprintf("%d | %.1f %% | %d / %d / %d s", $2, $4, $5, $6, $7) }
		NR == 2 { kinds = $3 ", " $4; gsub("Slurm ", "", kinds) }
		$1 == "waiting_mean_h" { wait = sprintf("%+.1f %% [%+.1f, %+.1f]", 100 * $5 / $3, 100 * $6 / $3, 100 * $7 / $3) }
		$9 == "true" && $1 !~ /^(cycle|elapsed|arrival)/ { sure = sure sprintf("%s%s %.3f -> %.3f", sure ? "; " : "", $1, $3, $4) }
		END { printf "| %s | %s | %s | %s | %s |\n", name, kinds, starts, wait, sure ? sure : "none" }'
done
