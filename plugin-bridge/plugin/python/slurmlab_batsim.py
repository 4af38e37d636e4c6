#!/usr/bin/env python3
"""Batsim's schedulers on a real Slurm: an adapter of the two protocols.

slurmlab asks this program, and the program asks a scheduler that was written for the simulator
Batsim, by the messages of its version 4 (JSON over ZeroMQ, as pybatsim speaks them). A resource
of the scheduler is a node, which a job has for itself.

    export BATSIM_SCHEDULER="pybatsim -t 0 -s tcp://127.0.0.1:28000 easyBackfill"
    slurmlab run --policy host:modules/slurmlab_batsim.py

BATSIM_SCHEDULER is the command that starts the scheduler; without it one is expected to run
already. BATSIM_ENDPOINT is where the scheduler listens, tcp://127.0.0.1:28000 by default. It
needs Python 3.9 and pyzmq, in Debian python3-zmq.
"""
from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import Any, Callable, Dict, List, Optional, Set

import slurmlab

ENDPOINT = "tcp://127.0.0.1:28000"
#: how long the scheduler may take to end after SIMULATION_ENDS, in seconds
GRACE = 1.0
#: the workload of all jobs: the id of job 12 is slurm!12
WORKLOAD = "slurm"

Event = Dict[str, Any]
Talk = Callable[[float, List[Event]], List[Event]]


def interval_set(numbers: List[int]) -> str:
    """Numbers as Batsim writes them: [0, 1, 2, 5] is "0-2 5"."""
    parts: List[List[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def numbers_of(text: str) -> List[int]:
    """The numbers of an interval set, whose parts are between spaces or commas."""
    numbers: List[int] = []
    for part in text.replace(",", " ").split():
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


class Adapter:
    """Turns snapshots into Batsim's events, and the scheduler's events into starts.

    talk(now, events) is one exchange with the scheduler. warn gets what has no counterpart in
    the other protocol, once for each kind.
    """

    def __init__(self, talk: Talk, warn: Callable[[str], None]) -> None:
        self._talk, self._warn = talk, warn
        self._warned: Set[str] = set()
        self._begun = False
        self._now = 0.0
        #: the jobs that the scheduler knows, by their number
        self._jobs: Dict[int, slurmlab.Job] = {}
        #: where the scheduler has started jobs that have not ended as far as it knows
        self._executed: Dict[int, List[int]] = {}
        #: jobs that it has rejected, and times at which it wants to be called
        self._rejected: Set[int] = set()
        self._calls: List[float] = []

    def decide(self, snapshot: slurmlab.Snapshot) -> slurmlab.Answer:
        """Tells the scheduler what has happened, and starts what it executes."""
        self._now = snapshot["time_s"]
        names = [n["name"] for n in snapshot["nodes"]]
        queue = {j["job"]: j for j in snapshot["queue"]}
        if not self._begun:
            # In an exchange of its own, as pybatsim's schedulers are set up after it.
            self._begun = True
            self._talk(self._now, [self._event("SIMULATION_BEGINS", begins(names))])
        events = self._events(snapshot, queue)
        if events:
            for event in self._talk(self._now, events):
                self._obey(event)
        answer, room = slurmlab.Answer(min(self._calls, default=None)), slurmlab.Room(snapshot)
        for number, nodes in self._executed.items():
            # Slurm may have refused a start: it is repeated until the job runs.
            if number not in queue:
                continue
            job, chosen = queue[number], [names[i] for i in nodes]
            place = slurmlab.Place(chosen, -(-job["cores"] // len(chosen)), job["gpus_per_node"])
            if room.fits(place):
                room.take(place)
                answer.start(job, place)
        return answer

    def end(self) -> None:
        """Tells the scheduler that the simulation has ended."""
        if self._begun:
            self._talk(self._now, [self._event("SIMULATION_ENDS", {})])

    def _event(self, kind: str, data: Dict[str, Any]) -> Event:
        return {"timestamp": self._now, "type": kind, "data": data}

    def _events(self, snapshot: slurmlab.Snapshot, queue: Dict[int, slurmlab.Job]) -> List[Event]:
        """What has happened since the last exchange."""
        events: List[Event] = []
        running = {r["job"] for r in snapshot["running"]}
        for number in [n for n in self._executed if n not in queue and n not in running]:
            events.append(self._event("JOB_COMPLETED", {
                "job_id": f"{WORKLOAD}!{number}", "job_state": "COMPLETED_SUCCESSFULLY", "return_code": 0,
                "kill_reason": "", "alloc": interval_set(self._executed.pop(number)),
            }))
        size = max(n["cores"] for n in snapshot["nodes"])
        for number, job in queue.items():
            if number in self._jobs:
                continue
            if not job["limit_s"]:
                self._once("a job without a time limit waits until the machine is idle: slurmlab does not tell of its end")
                continue
            self._jobs[number] = job
            name = f"{WORKLOAD}!{number}"
            events.append(self._event("JOB_SUBMITTED", {
                "job_id": name,
                "job": {"id": name, "subtime": self._now - job["waited_s"], "res": job["nodes"] or -(-job["cores"] // size),
                        "walltime": job["limit_s"], "profile": name},
                # How long it runs is not known before its end: the limit stands for it.
                "profile": {"type": "delay", "delay": job["limit_s"]},
            }))
        due = [t for t in self._calls if t <= self._now]
        if due:
            self._calls = [t for t in self._calls if t > self._now]
            events.append(self._event("REQUESTED_CALL", {}))
        return events

    def _obey(self, event: Event) -> None:
        kind, data = event["type"], event["data"]
        if kind == "EXECUTE_JOB":
            self._executed[number_of(data["job_id"])] = numbers_of(data["alloc"])
        elif kind == "REJECT_JOB":
            self._rejected.add(number_of(data["job_id"]))
            self._warn(f"the scheduler rejects job {number_of(data['job_id'])}, which waits until the machine is idle")
        elif kind == "CALL_ME_LATER":
            self._calls.append(float(data["timestamp"]))
        else:
            self._once(f"the scheduler's event {kind} means nothing to slurmlab and is left out")

    def _once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)


def number_of(name: str) -> int:
    """The number of a job, 12 of slurm!12."""
    return int(name.partition("!")[2])


def begins(names: List[str]) -> Dict[str, Any]:
    """The data of SIMULATION_BEGINS, with a resource for each node."""
    return {
        "nb_resources": len(names), "nb_compute_resources": len(names), "nb_storage_resources": 0,
        "allow_compute_sharing": False, "allow_storage_sharing": False,
        "config": {
            "redis-enabled": False, "redis-hostname": "127.0.0.1", "redis-port": 6379, "redis-prefix": "default",
            "profiles-forwarded-on-submission": True, "dynamic-jobs-enabled": False, "dynamic-jobs-acknowledged": False,
            "profile-reuse-enabled": False, "forward-unknown-events": False,
        },
        "compute_resources": [{"id": i, "name": name, "state": "idle", "properties": {}} for i, name in enumerate(names)],
        "storage_resources": [], "workloads": {WORKLOAD: "the queue of a Slurm"}, "profiles": {WORKLOAD: {}},
    }


class Scheduler:
    """A connection to a scheduler that listens at an endpoint, started by a command if there is one."""

    def __init__(self, endpoint: str, command: Optional[str]) -> None:
        import zmq

        # Standard output belongs to slurmlab's protocol.
        self._process = subprocess.Popen(shlex.split(command), stdin=subprocess.DEVNULL, stdout=sys.stderr) if command else None
        self._socket = zmq.Context.instance().socket(zmq.REQ)
        self._socket.linger = 0
        self._socket.connect(endpoint)

    def talk(self, now: float, events: List[Event]) -> List[Event]:
        """One exchange. It waits as long as it takes, unless the scheduler ends."""
        self._socket.send_string(json.dumps({"now": now, "events": events}))
        while not self._socket.poll(100):
            if self._process and self._process.poll() is not None:
                sys.exit(f"the scheduler ended with exit code {self._process.returncode}")
        reply: List[Event] = json.loads(self._socket.recv_string())["events"]
        return reply

    def end(self) -> None:
        """Waits for a scheduler that was started here."""
        if not self._process:
            return
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()


def main() -> None:
    scheduler = Scheduler(os.environ.get("BATSIM_ENDPOINT", ENDPOINT), os.environ.get("BATSIM_SCHEDULER"))
    adapter = Adapter(scheduler.talk, lambda text: print(text, file=sys.stderr, flush=True))
    slurmlab.serve("Batsim adapter", adapter.decide)
    adapter.end()
    scheduler.end()


if __name__ == "__main__":
    main()
