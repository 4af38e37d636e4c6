#!/usr/bin/env python3
"""An environment for reinforcement learning on a real Slurm, as Gymnasium has them.

An episode is a run of slurmlab, a step one cycle in which jobs wait:

    from slurmlab_gym import QueueEnv

    env = QueueEnv(["--machine", "S", "--workload", "V.2", "--theoretical-runtime", "5m"])
    observation, info = env.reset(seed=1)
    ended = False
    while not ended:
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        ended = terminated or truncated
    env.close()

Gymnasium is not needed. Where it is installed, the environment is one of its class Env, the
spaces are its own, observations are arrays, and the environment can be registered:

    gymnasium.register(id="slurmlab/Queue-v0", entry_point="slurmlab_gym:QueueEnv")
    env = gymnasium.make("slurmlab/Queue-v0", arguments=["--machine", "S", "--workload", "V.2"])

Run as a program, this file is the policy of the run: it hands questions and answers on
between slurmlab and the environment.
"""
from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, TextIO, Tuple

import slurmlab

try:
    import gymnasium
    import numpy
except ImportError:
    gymnasium = None

#: how many jobs of the queue an observation has, the first ones
VISIBLE = 16
#: numbers about the whole cluster in an observation, before the numbers of each visible job
HEAD = 6
#: the environment variable by which the program finds its environment
ADDRESS = "SLURMLAB_GYM"


class Discrete:
    """Actions 0 to n - 1."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._random = random.Random()

    def seed(self, seed: Optional[int] = None) -> None:
        """Has the same actions drawn after the same seed."""
        self._random.seed(seed)

    def sample(self) -> int:
        """An action, each as likely as the others."""
        return self._random.randrange(self.n)

    def contains(self, action: Any) -> bool:
        """Whether it is an action."""
        return isinstance(action, int) and 0 <= action < self.n


class Box(NamedTuple):
    """Observations: lists of so many numbers, each from low to high."""

    low: float
    high: float
    shape: Tuple[int, ...]

    def contains(self, observation: Sequence[float]) -> bool:
        """Whether it is an observation."""
        return len(observation) == self.shape[0] and all(self.low <= x <= self.high for x in observation)


class Env:
    """What the environment has of Gymnasium's Env, where that is not installed."""

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode: Optional[str] = None
    spec: Any = None

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any:
        """Begins an episode."""

    @property
    def unwrapped(self) -> Env:
        """This environment, which wraps none."""
        return self

    def __enter__(self) -> Env:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the episode."""


def actions(n: int) -> Any:
    """The space of actions 0 to n - 1: Gymnasium's where it is installed."""
    return gymnasium.spaces.Discrete(n) if gymnasium else Discrete(n)


def numbers(count: int) -> Any:
    """The space of so many numbers from 0: Gymnasium's where it is installed."""
    if gymnasium:
        return gymnasium.spaces.Box(0.0, float("inf"), (count,), numpy.float32)
    return Box(0.0, float("inf"), (count,))


def first_come(job: slurmlab.Job) -> float:
    """The order of the queue: the longest wait first."""
    return -job["waited_s"]


def shortest(job: slurmlab.Job) -> float:
    """The shortest time limit first; a job without one is the last."""
    return job["limit_s"] or float("inf")


def widest(job: slurmlab.Job) -> float:
    """The most cores first."""
    return -job["cores"]


class RunFailed(Exception):
    """A run of slurmlab that did not end well, with what it printed last."""


class QueueEnv(gymnasium.Env if gymnasium else Env):  # type: ignore[misc]
    """Which job next? An action is an order of the queue; each job that fits starts in that order.

    Observation: a list of numbers, under Gymnasium an array of float32. First time in hours, share of cores that are free, share of GPUs
    that are free, jobs that run, jobs that wait, and the cores that these ask for as a share of the
    machine's. Then of each of the first 16 jobs that wait: hours since its submission, limit in
    hours, cores as a share of the machine's, GPUs on each node; 0 where fewer wait.

    Reward: minus the core-seconds that jobs waited since the step before, in hours of the whole
    machine. The sum over an episode is minus the mean wait, weighted by cores, times the cores of
    all jobs; waits under one cycle count for nothing.

    An episode is terminated when its run is complete; info then has `run`, its directory, and
    `metrics`, what is in metrics.json. It is truncated after max_steps. A run that fails raises
    RunFailed. From reset or step to the next step virtual time passes as fast as real time, or
    think_scale times as slowly, and an answer may take `limit` of virtual time (the setting solve_limit).

    For other actions and rewards override act, observe and reward.
    """

    def __init__(self, arguments: Sequence[str] = (), program: str = "slurmlab", directory: str = "episodes",
                 rules: Sequence[Callable[[slurmlab.Job], float]] = (first_come, shortest, widest),
                 max_steps: Optional[int] = None, limit: str = "1h", seeded: bool = True,
                 think_scale: float = 1) -> None:
        """arguments are those of `slurmlab run`, such as --workload; the runs are made in directory.

        seeded=False is for a workload that is a fixed list of jobs: it takes no seed.
        think_scale=1000 makes all computing free, Slurm's own included; it needs --backend external.
        """
        self.arguments, self.program, self.directory = list(arguments), program, pathlib.Path(directory)
        self.rules, self.max_steps, self.limit, self.seeded = list(rules), max_steps, limit, seeded
        self.think_scale = think_scale
        self.action_space = actions(len(self.rules))
        self.observation_space = numbers(HEAD + 4 * VISIBLE)
        self._random = random.Random()
        self._episode: Optional[_Episode] = None
        self._steps = 0
        self._snapshot: Optional[slurmlab.Snapshot] = None

    # What a step is.

    def act(self, snapshot: slurmlab.Snapshot, action: int) -> slurmlab.Answer:
        """The answer to the snapshot that the action stands for."""
        answer, room = slurmlab.Answer(), slurmlab.Room(snapshot)
        for job in sorted(snapshot["queue"], key=self.rules[action]):
            place = room.first(job)
            if place:
                answer.start(job, place)
                room.take(place)
        return answer

    def observe(self, snapshot: slurmlab.Snapshot) -> Any:
        """The observation of a snapshot."""
        nodes, queue = snapshot["nodes"], snapshot["queue"]
        cores, gpus = _cores(snapshot), sum(n["gpus"] for n in nodes)
        seen = [
            snapshot["time_s"] / 3600,
            sum(n["free_cores"] for n in nodes) / cores,
            sum(n["free_gpus"] for n in nodes) / gpus if gpus else 0.0,
            float(len(snapshot["running"])),
            float(len(queue)),
            sum(j["cores"] for j in queue) / cores,
        ]
        for job in queue[:VISIBLE]:
            seen += [job["waited_s"] / 3600, job["limit_s"] / 3600, job["cores"] / cores, float(job["gpus_per_node"])]
        seen += [0.0] * (HEAD + 4 * VISIBLE - len(seen))
        return numpy.array(seen, numpy.float32) if gymnasium else seen

    def reward(self, before: slurmlab.Snapshot, after: slurmlab.Snapshot) -> float:
        """What the step from one snapshot to the next is worth."""
        waited = {j["job"]: j["waited_s"] for j in before["queue"]}
        lost = sum(j["cores"] * (j["waited_s"] - waited.get(j["job"], 0.0)) for j in after["queue"])
        return -lost / (3600 * _cores(after))

    # What Gymnasium has.

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """Begins an episode: a run with that seed, or with one drawn at random.

        options may have `arguments`, a list with which `slurmlab run` is called in addition.
        """
        super().reset(seed=seed)
        self.close()
        if seed is None:
            seed = self._random.randrange(1, 2**31)
        else:
            self._random.seed(seed)
            self.action_space.seed(seed)
        more = list((options or {}).get("arguments", []))
        if self.seeded:
            more += ["--seed", str(seed)]
        self.directory.mkdir(parents=True, exist_ok=True)
        number = 1 + sum(1 for _ in self.directory.glob("episode-*"))
        out = self.directory / f"episode-{number:04d}"
        self._episode = _Episode([self.program, "run", *self.arguments, *more, "--out", str(out),
                                  "--policy", "host:" + os.path.abspath(__file__), "--think-scale", f"{self.think_scale:g}",
                                  "--set", f"solve_limit={self.limit}"], out)
        self._steps, self._snapshot = 0, self._episode.next(None)
        if self._snapshot is None:
            raise RunFailed("the run is complete, and no job waited in it; take a workload with jobs")
        return self.observe(self._snapshot), {"seed": seed, "run": str(out), "time_s": self._snapshot["time_s"]}

    def step(self, action: int) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Starts jobs, and lets the cluster go on until slurmlab asks again or the run ends."""
        if self._episode is None or self._snapshot is None:
            raise RuntimeError("there is no episode: call reset() first")
        before, episode = self._snapshot, self._episode
        after = episode.next(self.act(before, action))
        self._steps += 1
        if after is None:
            self._episode = self._snapshot = None
            return self.observe(before), 0.0, True, False, {"run": str(episode.out), "metrics": episode.metrics()}
        self._snapshot = after
        truncated = self.max_steps is not None and self._steps >= self.max_steps
        info = {"run": str(episode.out), "time_s": after["time_s"], "results": after["results"]}
        if truncated:
            self.close()
        return self.observe(after), self.reward(before, after), False, truncated, info

    def render(self) -> None:
        """Shows nothing: `slurmlab serve` shows runs."""

    def close(self) -> None:
        """Ends the run of an episode that goes on."""
        episode, self._episode, self._snapshot = self._episode, None, None
        if episode:
            episode.stop()


def _cores(snapshot: slurmlab.Snapshot) -> int:
    return sum(n["cores"] for n in snapshot["nodes"])


#: how long to wait for the program before looking whether the run has ended, in seconds
_LOOK = 0.2
#: how long slurmlab may take to end after it was interrupted, in seconds
_GRACE = 60


class _Episode:
    """A run of slurmlab whose program is connected to this process."""

    def __init__(self, command: Sequence[str], out: pathlib.Path) -> None:
        self.out = out
        self._place = tempfile.mkdtemp(prefix="slurmlab-gym-")
        address = os.path.join(self._place, "socket")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen()
        self._listener.settimeout(_LOOK)
        self._log = open(os.path.join(self._place, "log"), "w+", encoding="utf-8")
        self._answer: Optional[Callable[[slurmlab.Answer], None]] = None
        try:
            self._run = subprocess.Popen(list(command), stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                                         env={**os.environ, ADDRESS: address})
        except OSError:
            self._clean()
            raise
        self._questions = self._ask()

    def next(self, answer: Optional[slurmlab.Answer]) -> Optional[slurmlab.Snapshot]:
        """Answers the last question and returns the next one, None when the run is complete."""
        if answer is not None and self._answer is not None:
            try:
                self._answer(answer)
            except OSError:
                pass  # slurmlab has restarted the program; the next question comes from there
        for snapshot, self._answer in self._questions:
            return snapshot
        self._log.seek(0)
        words, code = self._log.read()[-4000:], self._run.returncode
        self._clean()
        if code != 0:
            raise RunFailed(f"slurmlab ended with exit code {code}:\n{words}")
        return None

    def _ask(self) -> Iterator[Tuple[slurmlab.Snapshot, Callable[[slurmlab.Answer], None]]]:
        while True:
            try:
                connection, _ = self._listener.accept()
            except socket.timeout:
                if self._run.poll() is not None:
                    return
                continue
            connection.settimeout(None)
            with connection, connection.makefile("r", encoding="utf-8") as source, connection.makefile("w", encoding="utf-8") as sink:
                try:
                    yield from slurmlab.snapshots("slurmlab_gym", source, sink)
                except OSError:
                    pass

    def metrics(self) -> Any:
        """What metrics.json of the run has."""
        return json.loads((self.out / "metrics.json").read_text(encoding="utf-8"))

    def stop(self) -> None:
        """Ends the run as Ctrl-C does: what was measured is kept."""
        if self._run.poll() is None:
            self._run.send_signal(signal.SIGINT)
            self._questions.close()  # type: ignore[attr-defined]
            try:
                self._run.wait(_GRACE)
            except subprocess.TimeoutExpired:
                self._run.kill()
                self._run.wait()
        self._clean()

    def _clean(self) -> None:
        self._listener.close()
        self._log.close()
        shutil.rmtree(self._place, ignore_errors=True)


def relay(address: str, source: TextIO, sink: TextIO) -> None:
    """Hands each question to the environment at the address, and its answer back."""
    with socket.socket(socket.AF_UNIX) as far:
        far.connect(address)
        with far.makefile("r", encoding="utf-8") as answers, far.makefile("w", encoding="utf-8") as questions:
            for line in source:
                questions.write(line)
                questions.flush()
                sink.write(answers.readline())
                sink.flush()


if __name__ == "__main__":
    if ADDRESS not in os.environ:
        sys.exit(f"{ADDRESS} is not set: an environment of slurmlab_gym starts this program, not people")
    relay(os.environ[ADDRESS], sys.stdin, sys.stdout)
