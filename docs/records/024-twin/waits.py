#!/usr/bin/env python3
"""Waits of runs by class of jobs, in seconds: waits.py RUN... prints a row of a table for each run and class.

Of each class the mean, the 95th percentile and the longest wait, and the mean slowdown, whose run times count as 10 s at
least. The utilisation is that of the cores that jobs were given, until the last end.
"""
import csv
import json
import pathlib
import sys

print("| run | class | jobs | mean | 95 % | longest | slowdown | utilisation |\n|---|---|--:|--:|--:|--:|--:|--:|")
for path in map(pathlib.Path, sys.argv[1:]):
    layout = json.load(open(path / "run.json"))["machine"]["layout"]
    cores = sum(g["count"] * g["cores"] for g in layout["groups"])
    jobs = list(csv.DictReader(open(path / "jobs.csv")))
    end = max(float(j["finish_time"]) for j in jobs)
    used = sum(int(dict(m.split("=") for m in j["metadata"].split(";"))["alloc_cores"]) * (float(j["finish_time"]) - float(j["starting_time"])) for j in jobs) / cores / end
    for name in ["all"] + sorted({j["class"] for j in jobs}):
        waits, slowdown = [], 0
        for j in jobs:
            if name in ("all", j["class"]):
                wait, run = float(j["starting_time"]) - float(j["submission_time"]), float(j["finish_time"]) - float(j["starting_time"])
                waits.append(wait)
                slowdown += max(1, (wait + run) / max(10, run))
        n, waits = len(waits), sorted(waits)
        print(f"| {path.name} | {name} | {n} | {sum(waits)/n:.0f} | {waits[n*95//100]:.0f} | {waits[-1]:.0f} | {slowdown/n:.3f} | {used:.3f} |")
