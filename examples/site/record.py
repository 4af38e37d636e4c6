#!/usr/bin/env python3
"""Makes the sacct dump of lyra, the invented cluster of this folder: the jobs of a working day.

    record.py jobs >lyra-jobs.csv           draws the jobs
    record.py outage >lyra-outage.csv       four nodes that were out of service for three hours
    record.py dump RUN >sacct.txt           turns the accounting of a run of them into what sacct prints at the site

record.sh calls all three. The names of users and nodes, and the jobs, are invented.
"""
import csv
import random
import re
import sys

HEAD = "job_id arrival_s runtime_s limit_s nodes cores cores_per_node gpus_min gpus_max contiguous class user outcome " \
       "cancel_after_s partition mem_per_cpu gpu_type account qos".split()
HOUR, DAY = 3600, 86400
FIELDS = "JobIDRaw State Submit Start End Elapsed Timelimit NNodes NCPUS ReqTRES AllocTRES User Partition ReqMem Constraints " \
         "Account QOS Eligible Reason Licenses Reservation JobID NodeList SubmitLine".split()


def job(draw, at, hours, factor, ceiling, nodes, cores, account, user, qos, partition, gpus=0, gpu=""):
    """A row of a workload. Its limit is the run time times a factor, at most a number of minutes; how it ends is drawn."""
    seconds = max(60, round(hours * HOUR))
    minutes = min(-(-seconds // 60) * factor, ceiling)
    row = dict.fromkeys(HEAD, 0) | {
        "arrival_s": round(at), "runtime_s": seconds, "limit_s": max(60 * round(minutes / 5) * 5, 60 * (seconds // 60 + 2)),
        "nodes": nodes, "cores": nodes * cores, "cores_per_node": cores, "gpus_min": gpus, "gpus_max": gpus,
        "class": account, "user": user, "account": account, "qos": qos, "outcome": "completed",
        "partition": partition, "gpu_type": gpu, "mem_per_cpu": 4000,
    }
    fate = draw.random()
    if fate < 0.04:
        row["outcome"], row["runtime_s"] = "failed", max(20, seconds // 10)
    elif fate < 0.06:
        row["outcome"], row["runtime_s"] = "timeout", row["limit_s"]
    elif fate < 0.07 and at > HOUR:
        row |= {"outcome": "cancelled_pending", "runtime_s": 0, "cancel_after_s": 20 * 60}
    return row


def write_jobs(rows, first_id):
    """The rows in the order of arrival, from the first one's on."""
    rows = sorted(rows, key=lambda row: row["arrival_s"])
    first = rows[0]["arrival_s"]
    out = csv.DictWriter(sys.stdout, HEAD, lineterminator="\n")
    out.writeheader()
    for number, row in enumerate(rows, first_id):
        out.writerow(row | {"job_id": number, "arrival_s": row["arrival_s"] - first})


def jobs():
    """A day of jobs. Physics sends four sweeps; the others send jobs through the day."""
    draw, rows = random.Random(42), []

    def send(at, hours, limit, nodes, cores, account, user, gpus=0, qos="normal"):
        rows.append(job(draw, at, hours, limit, 60 if qos == "short" else 48 * 60, nodes, cores, account, user, qos,
                        "gpu" if gpus else "batch", gpus, "a100" if gpus else ""))

    for start in (0.3, 2.8, 5.3, 7.8):
        for i in range(20):
            send(start * HOUR + 4 * i, draw.uniform(0.3, 0.7), draw.choice([1.2, 2, 3]), 4, 32, "physics", "paul")
    for _ in range(10):
        send(draw.uniform(0, 9.5) * HOUR, draw.uniform(0.2, 0.7), 2, 2, 32, "physics", "pia")
    for _ in range(26):
        send(draw.uniform(0, 9.5) * HOUR, draw.uniform(0.2, 0.6), draw.choice([1.5, 2, 4]), draw.choice([2, 3, 4]), 32, "chem", "cora")
    for _ in range(40):
        send(draw.uniform(0, 9.5) * HOUR, draw.uniform(0.1, 0.5), draw.choice([1.5, 3]), 1, draw.choice([4, 8, 16]), "bio", draw.choice(["ben", "beth"]))
    for _ in range(10):
        send(draw.uniform(0, 9.5) * HOUR, draw.uniform(0.05, 0.3), 2, 1, 16, "bio", "beth", qos="short")
    for _ in range(24):
        gpus = draw.choice([1, 1, 2, 4])
        send(draw.uniform(0, 9) * HOUR, draw.uniform(0.4, 1.4), draw.choice([1.5, 2]), 1, 8 * gpus, "ml", draw.choice(["max", "mia"]), gpus)
    write_jobs(rows, 48211)


def name_of(number):
    """The site's name of a node that a run calls n1, n2, ...: c01 to c24, then g01 to g04."""
    return f"c{number:02}" if number <= 24 else f"g{number - 24:02}"


def site_names(nodes, name_of):
    """The site's names of the nodes of a list of a run's."""
    numbers = []
    for text in re.findall(r"[\d,-]+", nodes):
        for part in text.split(","):
            low, _, high = part.partition("-")
            numbers += range(int(low), int(high or low) + 1)
    return ",".join(map(name_of, numbers))


def span(seconds):
    """A duration as sacct prints it."""
    days, seconds = divmod(seconds, DAY)
    clock = f"{seconds // HOUR:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{days}-{clock}" if days else clock


def dump(run, name_of):
    """The accounting of a run, in the fields and names of the site."""
    asked = {row["job_id"]: row for row in csv.DictReader(open(f"{run}/workload.csv"))}
    out = csv.DictWriter(sys.stdout, FIELDS, delimiter="|", lineterminator="\n", extrasaction="ignore", restval="")
    out.writeheader()
    for row in sorted(csv.DictReader(open(f"{run}/sacct.txt"), delimiter="|"), key=lambda row: int(row["JobName"])):
        job = asked[row["JobName"]]
        row["JobID"] = row["JobIDRaw"] = row["JobName"]
        row["User"], row["Account"], row["QOS"] = job["user"], job["account"], job["qos"]
        row["Elapsed"], row["Timelimit"] = span(int(row["ElapsedRaw"])), span(60 * int(row["TimelimitRaw"]))
        row["ReqMem"] = f"{int(job['mem_per_cpu']) * int(job['cores'])}M"
        row["State"] = re.sub(r"by \d+", "by 5001", row["State"])
        row["Reason"], row["SubmitLine"] = "None", f"sbatch {job['class']}.sh"
        row["NodeList"] = site_names(row["NodeList"], name_of) if row["AllocTRES"] else "None assigned"
        out.writerow(row)


def main():
    match sys.argv[1:]:
        case ["jobs"]:
            jobs()
        case ["outage"]:
            print(f'at_s,event,nodes,reason,setting\n{3 * HOUR},drain,"n[21-24]",cooling,\n{6 * HOUR},resume,"n[21-24]",,')
        case ["dump", run]:
            dump(run, name_of)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
