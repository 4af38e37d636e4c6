#!/usr/bin/env python3
"""First fit, until the file below has the name of a misbehaviour: from then on the program
misbehaves at every question. It is the victim "plug-in" of the fault campaign."""
import json
import os
import sys
import time

SWITCH = "/var/spool/misbehave"


def misbehaviour():
    try:
        with open(SWITCH, encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def first_fit(snapshot, oversell):
    free = {n["name"]: [n["free_cores"], n["free_gpus"]] for n in snapshot["nodes"]}
    starts = []
    for job in snapshot["queue"]:
        cores, gpus = job["cores"] // job["nodes"], job["gpus_per_node"]
        fit = [n for n, has in free.items() if oversell or has[0] >= cores and has[1] >= gpus][:job["nodes"]]
        if len(fit) == job["nodes"]:
            starts.append({"job": job["job"], "nodes": fit})
            for name in fit:
                free[name][0] -= cores
                free[name][1] -= gpus
    return starts


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "version": 1, "name": "misbehaves"}), flush=True)
        continue
    kind = misbehaviour()
    if kind == "HANG":
        time.sleep(10**6)
    elif kind == "GARBAGE":
        print("looking at the queue", flush=True)
        continue
    elif kind == "END":
        os._exit(7)
    start = first_fit(message, kind == "OVERSELL")
    if kind == "UNKNOWN":
        start.insert(0, {"job": 99999, "nodes": [message["nodes"][0]["name"]]})
    print(json.dumps({"type": "answer", "number": message["number"], "start": start}), flush=True)
