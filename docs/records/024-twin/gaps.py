"""Seconds between the end of a job and the start of the next, for runs that have one job at a time."""
import csv
import pathlib
import statistics
import sys

for run in sys.argv[1:]:
    with open(pathlib.Path(run, "jobs.csv")) as rows:
        jobs = sorted((float(row["starting_time"]), float(row["finish_time"])) for row in csv.DictReader(rows))
    gaps = sorted(after[0] - before[1] for before, after in zip(jobs, jobs[1:]))
    print(f"{run}: mean {statistics.mean(gaps):.1f}, median {statistics.median(gaps):.1f}, 90 % {gaps[int(0.9 * len(gaps))]:.1f}, most {gaps[-1]:.1f}")
