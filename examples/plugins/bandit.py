#!/usr/bin/env python3
"""Learns which job should be next: an epsilon-greedy bandit over three orders of the queue.

    bandit.py [EPISODES [ARGUMENT OF slurmlab run ...]]
"""
import random
import sys

from slurmlab_gym import QueueEnv, first_come, shortest, widest

EPSILON = 0.2
RULES = [first_come, shortest, widest]


def episode(env, seed, draw, value, chosen):
    """Plays one episode, and returns the sum of its rewards and its number of steps."""
    env.reset(seed=seed)
    total, steps, ended = 0.0, 0, False
    while not ended:
        if draw.random() < EPSILON:
            action = draw.randrange(len(RULES))
        else:
            action = max(range(len(RULES)), key=lambda a: value[a])
        _, reward, terminated, truncated, info = env.step(action)
        chosen[action] += 1
        value[action] += (reward - value[action]) / chosen[action]
        total, steps, ended = total + reward, steps + 1, terminated or truncated
    return total, steps, info


def main():
    episodes, arguments = int((sys.argv[1:] or ["1"])[0]), sys.argv[2:]
    draw, value, chosen = random.Random(1), [0.0] * len(RULES), [0] * len(RULES)
    with QueueEnv(arguments, rules=RULES) as env:
        for number in range(1, episodes + 1):
            total, steps, info = episode(env, number, draw, value, chosen)
            wait = info["metrics"]["waiting_s"]["mean"] / 60
            print(f"episode {number}: {steps} steps, reward {total:.3f}, mean wait {wait:.1f} min, {info['run']}")
    for rule, mean, count in zip(RULES, value, chosen):
        print(f"{rule.__name__}: chosen {count} times, mean reward {mean:.4f}")


main()
