#!/usr/bin/env python3
"""Two schedulers side by side: hands each question to both, and says where their answers differ.

    OLD=./former.py NEW=./easy.py slurmlab plugin check ./same.py
    OLD=./former.py NEW=./easy.py slurmlab run --workload IV.1 --policy host:same.py --out same

The answers of NEW are those that count. Each difference is a line on standard error; a run has these
lines in logs/program.log, and at their end how many answers were compared, with how many starts.
"""
import json
import os
import subprocess
import sys


def ask(program, line):
    """The program's answer to a line, as JSON."""
    program.stdin.write(line)
    program.stdin.flush()
    return json.loads(program.stdout.readline())


def main():
    old, new = (subprocess.Popen([os.path.abspath(os.environ[name])], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                for name in ("OLD", "NEW"))
    answers, other, starts, plans = 0, 0, 0, 0
    for line in sys.stdin:
        before, now = ask(old, line), ask(new, line)
        if now["type"] == "answer":
            answers += 1
            starts += len(now.get("start", []))
            plans += len(now.get("reserve", []))
            if before != now:
                other += 1
                print(f"snapshot {now['number']}: {before} before, {now} now", file=sys.stderr)
        print(json.dumps(now), flush=True)
    print(f"{answers} answers with {starts} starts and {plans} plans, {other} of them different", file=sys.stderr)


main()
