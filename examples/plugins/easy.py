#!/usr/bin/env python3
"""EASY backfill: the first job that waits has a reservation, and a later one may start
if it delays that one by no second (Lifka, JSSPP 1995)."""
import json
import sys


def place(job, free):
    """Nodes for the job, and cores and GPUs on each, or None. free is [cores, GPUs] by node."""
    shares = range(max(c for c, _ in free.values()), 0, -1)
    if job["nodes"]:
        shares = [-(-job["cores"] // job["nodes"])]
    for share in shares:
        count = job["nodes"] or -(-job["cores"] // share)
        block = []
        for name, (cores, gpus) in free.items():
            if cores >= share and gpus >= job["gpus_per_node"] and name not in job.get("forbidden_nodes", ()):
                block.append(name)
            elif job["contiguous"]:
                block = []
            if len(block) == count:
                return block, share, job["gpus_per_node"]
    return None


def change(free, nodes, cores, gpus):
    for name in nodes:
        free[name][0] += cores
        free[name][1] += gpus


def fits(free, nodes, cores, gpus):
    return all(free[name][0] >= cores and free[name][1] >= gpus for name in nodes)


def decide(s):
    now, start, reserve = s["time_s"], [], []
    free = {n["name"]: [n["free_cores"], n["free_gpus"]] for n in s["nodes"]}
    ends = [(r["end_s"], [name], cores, r["gpus_per_node"])
            for r in s["running"] for name, cores in zip(r["nodes"], r["cores"])]
    later, shadow = None, now  # what is free at the time of the reservation, beside its job
    for job in s["queue"]:
        end = now + (job["limit_s"] or 10**9)
        found = place(job, free)
        if found and (later is None or end <= shadow or fits(later, *found)):
            nodes, cores, gpus = found
            start.append({"job": job["job"], "nodes": nodes})
            change(free, nodes, -cores, -gpus)
            ends.append((end, nodes, cores, gpus))
            if later is not None and end > shadow:
                change(later, nodes, -cores, -gpus)
        elif later is None:
            later = {name: list(has) for name, has in free.items()}
            for shadow, *gone in sorted(ends, key=lambda e: e[0]):
                change(later, *gone)
                found = place(job, later)
                if found:
                    change(later, found[0], -found[1], -found[2])
                    reserve.append({"job": job["job"], "start_s": shadow, "nodes": found[0]})
                    break
    return start, reserve


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "version": 1, "name": "EASY backfill"}
    else:
        starts, plans = decide(message)
        answer = {"type": "answer", "number": message["number"], "start": starts, "reserve": plans}
    print(json.dumps(answer), flush=True)
