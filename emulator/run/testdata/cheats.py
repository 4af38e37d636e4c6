#!/usr/bin/env python3
"""Starts jobs in the order of the queue, and tries before to change what the run measures. Standard error has a line for
each try: its name, "refused" or "done", and why or what."""
import os
import socket
import subprocess
import sys
import time

import slurmlab


def attempt(name, act):
    try:
        print(name, "done", act(), file=sys.stderr)
    except OSError as e:
        print(name, "refused", e.strerror, file=sys.stderr)
    except subprocess.CalledProcessError as e:
        print(name, "refused", " ".join(e.stdout.split()), file=sys.stderr)


def command(*argv, **more):
    return subprocess.run(argv, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more).stdout.strip()


def connect(family, address):
    socket.socket(family).connect(address)


def pretend(path):
    os.rename(path, path + ".old")


def fill(path):
    with open(path, "wb") as f:
        while True:
            f.write(bytes(1 << 20))


def leave():
    """A child in a session of its own, without a parent, that computes without end."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0), os.close(1)
            while True:
                time.monotonic()
        os._exit(0)
    os.wait()


DATABASE = "UPDATE slurm_acct_db.slurmlab_job_table SET time_start = time_start - 60"
attempt("database-client", lambda: command("mariadb", "-u", "root", "-e", DATABASE))
attempt("database-socket", lambda: connect(socket.AF_UNIX, "/run/mysqld/mysqld.sock"))
attempt("database-files", lambda: os.listdir("/var/lib/mysql/slurm_acct_db"))
attempt("database-directory", lambda: os.listdir("/run/mysqld"))
attempt("clock-write", lambda: open("/dev/shm/vclock", "r+b"))
attempt("clock-mode", lambda: os.chmod("/dev/shm/vclock", 0o666))
attempt("clock-replace", lambda: pretend("/dev/shm/vclock"))
attempt("clock-read", lambda: command("date", "+%Y", env={"LD_PRELOAD": "/usr/local/lib/libvclock.so", "VCLOCK_PAGE": "/dev/shm/vclock"}))
attempt("slurm-submit", lambda: command("timeout", "1", "sbatch", "--job-name=1", "--output=/dev/null", "--wrap=true"))
attempt("slurm-look", lambda: command("timeout", "1", "squeue"))
attempt("slurm-key", lambda: open("/etc/slurm/slurm.key", "rb"))
attempt("slurm-sack", lambda: os.listdir("/run/slurmctld"))
attempt("slurm-sack-socket", lambda: connect(socket.AF_UNIX, "/run/slurmctld/sack.socket"))
attempt("slurm-port", lambda: connect(socket.AF_INET, ("127.0.0.1", 6817)))
attempt("log-of-ends", lambda: open("/var/spool/slurmctld/jobcomp.log", "a"))
attempt("processes", lambda: os.kill(1, 9))
attempt("own-file", lambda: open(__file__, "a"))
attempt("places", lambda: command(
    "sh", "-c", r"find / \( -path /proc -o -path /sys -o -path /tmp/\* \) -prune -o \( -type d -o -type f -o -type p -o -type s \) -writable -print 2>/dev/null | sort | paste -s -d ' '"))
attempt("tmp", lambda: fill("/tmp/fill"))
attempt("session", leave)


def decide(snapshot):
    answer, free = slurmlab.Answer(), slurmlab.Room(snapshot)
    for job in snapshot["queue"]:
        place = free.first(job)
        if not place:
            break
        answer.start(job, place)
        free.take(place)
    return answer


slurmlab.serve("cheats", decide)
