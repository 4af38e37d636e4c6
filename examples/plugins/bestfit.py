#!/usr/bin/env python3
"""Best fit: each job that fits starts, in the order of the queue, on the nodes that it
leaves the fewest free cores on. Nothing is kept free for a job that does not fit."""
import json
import sys


def place(job, free):
    """Nodes for the job, and cores and GPUs on each, or None. free is [cores, GPUs] by node."""
    gpus = job["gpus_per_node"]
    shares = range(max(c for c, _ in free.values()), 0, -1)
    if job["nodes"]:
        shares = [-(-job["cores"] // job["nodes"])]
    best = None
    for share in shares:
        count = job["nodes"] or -(-job["cores"] // share)
        usable = [name for name, has in free.items()
                  if has[0] >= share and has[1] >= gpus and name not in job.get("forbidden_nodes", ())]
        order = {name: i for i, name in enumerate(free)}
        if job["contiguous"]:
            groups = [usable[i:i + count] for i in range(len(usable) - count + 1)
                      if order[usable[i + count - 1]] - order[usable[i]] == count - 1]
        else:
            usable.sort(key=lambda name: free[name][0])
            groups = [usable[:count]] if len(usable) >= count else []
        for nodes in groups:
            rest = sum(free[name][0] - share for name in nodes)
            if best is None or rest < best[0]:
                best = rest, nodes, share, gpus
    return best and best[1:]


def decide(s):
    start = []
    free = {n["name"]: [n["free_cores"], n["free_gpus"]] for n in s["nodes"]}
    for job in s["queue"]:
        found = place(job, free)
        if found:
            nodes, cores, gpus = found
            start.append({"job": job["job"], "nodes": nodes})
            for name in nodes:
                free[name][0] -= cores
                free[name][1] -= gpus
    return start


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "version": 1, "name": "best fit"}
    else:
        answer = {"type": "answer", "number": message["number"], "start": decide(message)}
    print(json.dumps(answer), flush=True)
