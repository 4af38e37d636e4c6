#!/bin/sh
# Prints how the tables of two folders with the same campaign differ: the verdicts of all metrics, and the differences of
# the two runs of each seed (SECOND less FIRST) by policy. Usage:
#
#   docs/records/023-campaigns/differences.sh DIRECTORY FIRST SECOND
#
# DIRECTORY has both folders: plain and killed of killed.sh, one and two of together.sh. SLURMLAB is the program (build/slurmlab).
set -eu
series=$1 first=$2 second=$3
slurmlab=${SLURMLAB:-build/slurmlab}
for folder in "$first" "$second"; do
	"$slurmlab" campaign report "$series/$folder" --format json >"$series/$folder.json"
done
# word is a verdict without its size: who is better, and whether it may be chance.
jq -rn --slurpfile first "$series/$first.json" --slurpfile second "$series/$second.json" '
	def word: gsub(" by [0-9.]+ %"; "") | gsub(" from 0"; "");
	def rows: if type == "array" then . else .rows end;
	[[$first[0] | rows[]], [$second[0] | rows[]]] | transpose
	| "\(length) verdicts, \(map(select((.[0].verdict | word) == (.[1].verdict | word))) | length) the same in words, \(
		map(select(((.[0].p_holm // 1) < 0.05) and ((.[1].p_holm // 1) < 0.05) and (.[0].difference * .[1].difference < 0))) | length) turned over, \(
		map(select(.[0].interval_low != null) | select(.[1].difference < .[0].interval_low or .[1].difference > .[0].interval_high)) | length) differences outside the other interval",
	(.[] | select((.[0].verdict | word) != (.[1].verdict | word)) | "  \(.[0].workload) \(.[0].metric): \(.[0].verdict); \(.[1].verdict)")'
awk -F, '
	FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; file++; next }
	{ key = $column["workload"] "," $column["policy"] "," $column["seed"]
	  for (m = split("waiting_mean_h slowdown_mean cpu_utilization_percent makespan_h", name, " "); m > 0; m--) {
		value = $column[name[m]]
		if (file == 1) { first[key, m] = value; continue }
		d = value - first[key, m]; p = $column["policy"]
		n[p, m]++; sum[p, m] += d; squares[p, m] += d * d; of[p, m] += value; policies[p] = 1
		if (d == 0) same[p, m]++ } }
	END { for (p in policies) for (m in name) {
		mean = sum[p, m] / n[p, m]
		printf "%s %s: mean %.3f, differences of %d runs %+.4f ± %.4f, standard error %.4f, %d equal\n", p, name[m], of[p, m] / n[p, m], n[p, m], mean, deviation(p, m), deviation(p, m) / sqrt(n[p, m]), same[p, m] } }
	function deviation(p, m,   mean) { mean = sum[p, m] / n[p, m]; return sqrt((squares[p, m] - n[p, m] * mean * mean) / (n[p, m] - 1)) }' \
	"$series/$first/runs.csv" "$series/$second/runs.csv" | sort
for folder in "$first" "$second"; do
	jq -rs --arg folder $folder '"\($folder): \(length) runs, \(map((.finished[0:19] + "Z" | fromdate) - (.started[0:19] + "Z" | fromdate)) | add) s of one core, others took \(
		map(.fidelity | (.foreign_s + .stolen_s) / .real_s * 100) | sort | "\(.[0] | round) to \(.[-1] | round) %, median \(.[length / 2 | floor] | round) %")"' "$series/$folder"/*/run.json
done
