"""Schedulers for slurmlab: the client of its protocol of plug-ins, version 1.

A scheduler is a function from a snapshot of the cluster to an answer:

    import slurmlab

    def decide(snapshot):
        answer, room = slurmlab.Answer(), slurmlab.Room(snapshot)
        for job in snapshot["queue"]:
            place = room.first(job)
            if place:
                room.take(place)
                answer.start(job, place)
        return answer

    slurmlab.serve("first fit", decide)

The messages are dictionaries, with the fields of docs/plugins.md. Python 3.9 and its
standard library are enough.
"""
from __future__ import annotations

import json
import sys
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, TextIO, TypedDict

VERSION = 1


class Node(TypedDict, total=False):
    """A node and what is free on it. `switches` is absent in a flat network."""

    name: str
    cores: int
    gpus: int
    free_cores: int
    free_gpus: int
    switches: List[int]


class Job(TypedDict, total=False):
    """A job that waits; 0 for what it does not ask. The last three are absent if not asked."""

    job: int
    waited_s: float
    limit_s: float
    cores: int
    nodes: int
    max_nodes: int
    cores_per_node: int
    gpus_per_node: int
    max_gpus_per_node: int
    contiguous: bool
    switches: int
    required_nodes: List[str]
    forbidden_nodes: List[str]


class Running(TypedDict):
    """A job that runs; `cores` are those on each of its nodes."""

    job: int
    nodes: List[str]
    cores: List[int]
    gpus_per_node: int
    end_s: float


class Changed(TypedDict):
    """What happened since the snapshot before, by numbers of jobs."""

    submitted: List[int]
    started: List[int]
    ended: List[int]


class Result(TypedDict, total=False):
    """What became of a start: started, refused or returned, and why not."""

    job: int
    outcome: str
    reason: str


class Snapshot(TypedDict):
    """The whole cluster at `time_s`, in virtual seconds since the start of the run."""

    type: str
    number: int
    time_s: float
    nodes: List[Node]
    queue: List[Job]
    running: List[Running]
    changed: Changed
    results: List[Result]


class Place(NamedTuple):
    """Nodes for a job, and how many cores and GPUs on each of them."""

    nodes: List[str]
    cores: int
    gpus: int


class Answer:
    """The answer to a snapshot: starts in the order in which they are made, and plans."""

    def __init__(self, wait_until_s: Optional[float] = None) -> None:
        self.starts: List[Dict[str, Any]] = []
        self.plans: List[Dict[str, Any]] = []
        #: the time before which slurmlab need not ask again unless something changes
        self.wait_until_s = wait_until_s

    def start(self, job: Job, place: Place) -> None:
        """Starts a job now. Slurm lays its cores out, evenly where it can."""
        self.start_on(job["job"], place.nodes)

    def start_on(self, job: int, nodes: Sequence[str], cores: Optional[Sequence[int]] = None,
                 gpus_per_node: Optional[int] = None) -> None:
        """Starts the job of that number, with `cores` on each of the nodes if they are given."""
        start: Dict[str, Any] = {"job": job, "nodes": list(nodes)}
        if cores is not None:
            start["cores"] = list(cores)
        if gpus_per_node is not None:
            start["gpus_per_node"] = gpus_per_node
        self.starts.append(start)

    def reserve(self, job: Job, start_s: float, place: Optional[Place] = None) -> None:
        """Plans a later start: it is recorded, and slurmlab asks again when it is due."""
        plan: Dict[str, Any] = {"job": job["job"], "start_s": start_s}
        if place:
            plan["nodes"] = place.nodes
        self.plans.append(plan)

    def message(self, number: int) -> Dict[str, Any]:
        """The message that answers the snapshot of that number."""
        message: Dict[str, Any] = {"type": "answer", "number": number, "start": self.starts, "reserve": self.plans}
        if self.wait_until_s is not None:
            message["wait_until_s"] = self.wait_until_s
        return message


class Room:
    """Free cores and GPUs by node, in the order of the nodes.

    It counts with equal shares of a job on each of its nodes, rounded up. Slurm may lay a job
    out otherwise; a later start that then finds too little is refused, and among the results
    of the next snapshot. Of a range of nodes or GPUs the least counts, and `switches` is not
    looked at.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.free: Dict[str, List[int]] = {n["name"]: [n["free_cores"], n["free_gpus"]] for n in snapshot["nodes"]}

    def copy(self) -> Room:
        """The same room, to be changed for itself."""
        other = Room.__new__(Room)
        other.free = {name: list(free) for name, free in self.free.items()}
        return other

    def places(self, job: Job, order: Optional[Callable[[str], float]] = None) -> Iterator[Place]:
        """Places for the job, on few nodes first.

        Of the nodes that have room those with the least order(name) are taken, or the first
        ones; of contiguous places there is one for each place where it can begin.
        """
        gpus, forbidden, required = job["gpus_per_node"], set(job.get("forbidden_nodes", ())), set(job.get("required_nodes", ()))
        if job["cores_per_node"]:
            shares: Sequence[int] = [job["cores_per_node"]]
        elif job["nodes"]:
            shares = [-(-job["cores"] // job["nodes"])]
        else:
            shares = range(max(cores for cores, _ in self.free.values()), 0, -1)
        seen = set()
        for share in shares:
            count = job["nodes"] or -(-job["cores"] // share)
            if count in seen:
                # The share that was tried is larger than what the job needs on so many nodes.
                continue
            share = max(-(-job["cores"] // count), job["cores_per_node"])
            seen.add(count)
            usable = [name not in forbidden and cores >= share and free >= gpus for name, (cores, free) in self.free.items()]
            names = list(self.free)
            if job["contiguous"]:
                groups: Iterator[List[str]] = (names[i:i + count] for i in range(len(names) - count + 1) if all(usable[i:i + count]))
            else:
                names = [name for name, good in zip(names, usable) if good]
                if order:
                    names.sort(key=order)
                names.sort(key=lambda name: name not in required)
                groups = iter([names[:count]] if len(names) >= count else [])
            for group in groups:
                if required.issubset(group):
                    yield Place(group, share, gpus)

    def first(self, job: Job) -> Optional[Place]:
        """The first of the places, None without one."""
        return next(self.places(job), None)

    def fits(self, place: Place) -> bool:
        """Whether the place is free."""
        return all(self.free[name][0] >= place.cores and self.free[name][1] >= place.gpus for name in place.nodes)

    def take(self, place: Place) -> None:
        """Takes the place away."""
        self._add(place, -1)

    def give(self, place: Place) -> None:
        """Gives the place back."""
        self._add(place, 1)

    def _add(self, place: Place, sign: int) -> None:
        for name in place.nodes:
            self.free[name][0] += sign * place.cores
            self.free[name][1] += sign * place.gpus


def ends(snapshot: Snapshot) -> List[tuple[float, Place]]:
    """When at the latest which place becomes free, for each node of the running jobs; in no order."""
    return [(r["end_s"], Place([name], cores, r["gpus_per_node"]))
            for r in snapshot["running"] for name, cores in zip(r["nodes"], r["cores"])]


class ProtocolError(Exception):
    """A message that is not of this version of the protocol."""


def snapshots(name: str, source: Optional[TextIO] = None, sink: Optional[TextIO] = None) -> Iterator[tuple[Snapshot, Callable[[Answer], None]]]:
    """Says hello, and then yields each snapshot with the function that answers it."""
    lines, out = source or sys.stdin, sink or sys.stdout

    def write(message: Dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    def answering(number: int) -> Callable[[Answer], None]:
        return lambda answer: write(answer.message(number))

    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            if message["version"] != VERSION:
                raise ProtocolError(f"slurmlab speaks version {message['version']}, this module {VERSION}")
            write({"type": "hello", "version": VERSION, "name": name})
        elif message["type"] == "snapshot":
            yield message, answering(message["number"])
        else:
            raise ProtocolError(f"a message of type {message['type']!r}, want hello or snapshot")


def serve(name: str, decide: Callable[[Snapshot], Answer]) -> None:
    """Schedules: answers each snapshot on standard input with decide(snapshot), until the run ends."""
    for snapshot, answer in snapshots(name):
        decided = decide(snapshot)
        if not isinstance(decided, Answer):
            raise TypeError(f"{decide.__name__} returned {decided!r}, want a slurmlab.Answer")
        answer(decided)
