#!/usr/bin/env python3
"""How much of a recorded wait passed while enough processors were idle.

    idle-wait.py TRACE.swf.gz WORKLOAD.csv PROCESSORS

TRACE is an SWF log, WORKLOAD the jobs that were imported of it. For each of these jobs the
wait is the time from its submission to its start in the log; it counts as idle while the
log's running jobs leave as many processors as the job asks for. A scheduler that starts
what fits, and reserves for nobody, has none of that.
"""
import bisect
import gzip
import sys

trace, workload, processors = sys.argv[1], sys.argv[2], int(sys.argv[3])
jobs, changes = [], []
with gzip.open(trace, "rt") as lines:
    for line in lines:
        if line.startswith(";") or not line.strip():
            continue
        job, submit, wait, run, size = (int(word) for word in line.split()[:5])
        if run >= 0 and wait >= 0:
            jobs.append((job, submit, submit + wait, size))
            changes += [(submit + wait, size), (submit + wait + run, -size)]
times, used, now = [], [], 0
for at, change in sorted(changes):
    now += change
    if times and times[-1] == at:
        used[-1] = now
    else:
        times.append(at)
        used.append(now)
with open(workload) as rows:
    wanted = {int(row.split(",")[0]) for row in rows if row[0].isdigit()}
waited = idle = mostly = 0
for job, submit, start, size in jobs:
    if job not in wanted or start == submit:
        continue
    beside, at, i = 0, submit, bisect.bisect_right(times, submit) - 1
    while at < start:
        until = min(times[i + 1] if i + 1 < len(times) else start, start)
        if processors - used[i] >= size:
            beside += until - at
        at, i = until, i + 1
    waited, idle, mostly = waited + start - submit, idle + beside, mostly + (2 * beside > start - submit)
print(f"{len(wanted)} jobs waited for {waited / 3600:.0f} h, {100 * idle / waited:.0f} % of it beside enough idle processors;")
print(f"{mostly} jobs for more than half of their wait")
