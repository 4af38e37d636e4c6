#!/usr/bin/env python3
"""Makes the files of cygnus, the invented GPU cluster of this folder, from the tables below and a seed.

    generate.py files DIR                  writes slurm.conf, gres.conf, qos.txt and assoc.cfg
    generate.py jobs >cygnus-jobs.csv      draws 1500 jobs of three days
    generate.py dump RUN >sacct.txt        turns the accounting of a run of them into what sacct prints at the site

record.sh calls all three. Every day has the same bursts of jobs at nearly the same hours, so each of the three days
answers a question alike. What the answers must be follows from the tables:

- the jobs of QOS sweep hold up to all A100 at once, so GrpTRES of half of them makes them wait;
- jobs of partition a100 ask for more than half of the A100 of a day, so they wait long where half are drained;
- the bursts ask for more A100 than there are, so eight more nodes shorten the waits of a100;
- scavenger's jobs hold A100 as each day's bursts begin, so jobs of a100 start earlier where they preempt them.
"""
import csv
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "site"))
import record  # noqa: E402: the forms of a workload's rows and of sacct

SEED, DAYS = 44, 3
HOUR, DAY = record.HOUR, record.DAY
# prefix of the nodes, how many, cores, memory in MB, and GPUs of a type on each
NODES = [("cn", 20, 32, 190000, None), ("ga", 8, 32, 510000, "a100"), ("gl", 6, 32, 380000, "l40s")]
GPUS = 4
# name, prefixes of the nodes, MaxTime, further settings
PARTITIONS = [
    ("batch", ["cn"], "1-00:00:00", "Default=YES PriorityTier=10 DefMemPerCPU=5000"),
    ("short", ["cn"], "01:00:00", "PriorityTier=20 DefMemPerCPU=5000"),
    ("a100", ["ga"], "1-00:00:00", "PriorityTier=10 DefMemPerCPU=15000"),
    ("l40s", ["gl"], "12:00:00", "PriorityTier=10 DefMemPerCPU=11000"),
    ("scavenger", ["ga", "gl"], "08:00:00", "PriorityTier=1 DefMemPerCPU=11000"),
]
# name, priority, MaxWall, MaxJobsPU
QOS = [("normal", 0, "", ""), ("high", 1000, "08:00:00", "8"), ("sweep", 0, "12:00:00", "")]
# account, its share, its users
ACCOUNTS = [("astro", 40, ["ada", "alan", "anke"]), ("bio", 30, ["bea", "bob"]), ("ml", 30, ["max", "mia", "mona"])]


def hosts(prefix, count):
    return f"{prefix}[01-{count:02}]"


def slurm_conf():
    sizes = {prefix: count for prefix, count, *_ in NODES}
    lines = """# slurm.conf of cygnus, an invented cluster of a university. generate.py made it.
ClusterName=cygnus
SlurmctldHost=cygnus-head(10.30.0.1)
AuthType=auth/munge
SlurmUser=slurm
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
ProctrackType=proctrack/cgroup
TaskPlugin=task/affinity,task/cgroup
ReturnToService=1

# SCHEDULING
SchedulerType=sched/backfill
SchedulerParameters=bf_window=1440,bf_resolution=300,bf_interval=60,bf_max_job_test=50,default_queue_depth=50
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory

# PRIORITY
PriorityType=priority/multifactor
PriorityDecayHalfLife=7-0
PriorityMaxAge=7-0
PriorityWeightAge=10000
PriorityWeightQOS=20000
PriorityWeightFairshare=2000

# ACCOUNTING
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=cygnus-db
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations,limits,qos

# NODES
GresTypes=gpu""".split("\n")
    for prefix, count, cores, memory, gpu in NODES:
        gres = f" Gres=gpu:{gpu}:{GPUS}" if gpu else ""
        lines.append(f"NodeName={hosts(prefix, count)} Sockets=2 CoresPerSocket={cores // 2} ThreadsPerCore=1 RealMemory={memory}{gres}")
    for name, prefixes, limit, further in PARTITIONS:
        nodes = ",".join(hosts(prefix, sizes[prefix]) for prefix in prefixes)
        lines.append(f"PartitionName={name} Nodes={nodes} MaxTime={limit} {further}")
    return lines


def gres_conf():
    return ["# gres.conf of cygnus. generate.py made it."] + \
        [f"NodeName={hosts(prefix, count)} Name=gpu Type={gpu} File=/dev/nvidia[0-{GPUS - 1}]" for prefix, count, _, _, gpu in NODES if gpu]


def qos_txt():
    """What "sacctmgr -P show qos" prints, with the columns that say something."""
    return ["Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRES|MaxWall|MaxJobsPU"] + \
        [f"{name}|{priority}|00:00:00||cluster||1.000000||{wall}|{jobs}" for name, priority, wall, jobs in QOS]


def assoc_cfg():
    """What "sacctmgr dump cygnus file=assoc.cfg" writes."""
    lines = ["# To edit this file start with a cluster line for the new cluster",
             "# Cluster - 'cluster_name':MaxNodesPerJob=50",
             f"Cluster - 'cygnus':Fairshare=1:QOS='{','.join(name for name, *_ in QOS)}'",
             "Parent - 'root'",
             "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1"]
    lines += [f"Account - '{name}':Description='{name}':Organization='{name}':Fairshare={share}" for name, share, _ in ACCOUNTS]
    for name, _, users in ACCOUNTS:
        lines += [f"Parent - '{name}'"] + [f"User - '{user}':DefaultAccount='{name}':Fairshare=1" for user in users]
    return lines


def jobs():
    draw, rows = random.Random(SEED), []
    users = {account: names for account, _, names in ACCOUNTS}

    def job(at, hours, factor, nodes, cores, account, partition, gpus=0, gpu="", qos="normal"):
        ceiling = {"short": 60, "l40s": 12 * 60, "scavenger": 8 * 60}.get(partition, 8 * 60 if qos == "high" else 12 * 60 if qos == "sweep" else 24 * 60)
        rows.append(record.job(draw, at, hours, factor, ceiling, nodes, cores, account, draw.choice(users[account]), qos, partition, gpus, gpu))

    def spread(count, first, last):
        """Times of a day in order, one in each of as many equal parts, so that days are alike."""
        return [(first + (last - first) * (i + draw.random()) / count) * HOUR for i in range(count)]

    for day in range(DAYS):
        start = day * DAY
        # CPU: bursts of astro's simulations, bio's jobs of a node through the day, short ones, and a few that take half a day
        for burst in (8.5, 12.5, 16.5):
            for i in range(16):
                job(start + burst * HOUR + 20 * i, draw.uniform(0.8, 1.6), draw.choice([1.2, 2, 3]), draw.choice([2, 4, 4, 6]), 32, "astro", "batch")
        for at in spread(124, 7, 22):
            job(start + at, draw.uniform(0.3, 1.5), draw.choice([1.5, 2, 4]), 1, draw.choice([4, 8, 16, 32]), "bio", "batch")
        for at in spread(58, 7, 20):
            job(start + at, draw.uniform(0.05, 0.6), draw.choice([1.5, 2]), 1, draw.choice([8, 16, 32]), draw.choice(["astro", "bio"]), "short")
        for at in spread(4, 18, 20):
            job(start + at, draw.uniform(9, 11), 1.6, 1, 32, "astro", "batch")
        # A100: two sweeps that would fill all of them, training through the day, and urgent jobs
        for burst in (9, 14):
            for i in range(30):
                job(start + burst * HOUR + 10 * i, draw.uniform(0.8, 1.4), draw.choice([1.5, 2, 3]), 1, 16, "ml", "a100", 2, "a100", "sweep")
        for at in spread(60, 8, 20):
            gpus = draw.choice([1, 2, 2, 4])
            job(start + at, draw.uniform(0.8, 2.4), draw.choice([1.5, 2, 3]), 1, 8 * gpus, draw.choice(["ml", "bio", "astro"]), "a100", gpus, "a100")
        for at in spread(6, 9, 17):
            job(start + at, draw.uniform(0.5, 1.5), 2, 1, 32, "bio", "a100", 4, "a100", "high")
        # L40S: bio's pipeline in one burst, and others' jobs
        for i in range(40):
            job(start + 10 * HOUR + 15 * i, draw.uniform(0.6, 1.5), draw.choice([1.5, 2]), 1, 8, "bio", "l40s", 1, "l40s")
        for at in spread(50, 8, 21):
            gpus = draw.choice([1, 1, 2])
            job(start + at, draw.uniform(0.5, 2), draw.choice([1.5, 2, 3]), 1, 8 * gpus, draw.choice(["astro", "ml"]), "l40s", gpus, "l40s")
        # any GPU that is free, sent before the others come
        for at in spread(50, 5, 8.5):
            gpus = draw.choice([1, 2])
            job(start + at, draw.uniform(3, 5), 1.4, 1, 8 * gpus, draw.choice(["astro", "bio"]), "scavenger", gpus)
    record.write_jobs(rows, 910001)


def name_of(number):
    """The site's name of a node that a run calls n1, n2, ..."""
    for prefix, count, *_ in NODES:
        if number <= count:
            return f"{prefix}{number:02}"
        number -= count
    raise ValueError(f"node {number}")


def main():
    match sys.argv[1:]:
        case ["files", folder]:
            for name, made in [("slurm.conf", slurm_conf), ("gres.conf", gres_conf), ("qos.txt", qos_txt), ("assoc.cfg", assoc_cfg)]:
                pathlib.Path(folder, name).write_text("\n".join(made()) + "\n")
        case ["jobs"]:
            jobs()
        case ["dump", run]:
            record.dump(run, name_of)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
