#!/usr/bin/env python3
"""20,000 jobs for 1000 nodes of three groups: mixed.py JOBS HOURS SEED > jobs.csv

Of ten jobs six want cores alone, one whole nodes, two GPUs of a type, and one memory. They arrive
evenly at random within HOURS. Run times are log-normal with a median of 20 minutes; limits are one to
four run times.
"""
import random
import sys

jobs, hours, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
draw = random.Random(seed)
print("job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,partition,mem_per_node,mem_per_cpu,features,gpu_type,exclusive")
for i, arrival in enumerate(sorted(draw.randrange(int(hours * 3600)) for _ in range(jobs))):
    run = max(30, min(6 * 3600, int(draw.lognormvariate(7.1, 0.9))))
    limit = -(-int(run * draw.uniform(1.1, 4)) // 60) * 60
    nodes = cores = per_node = gpus = memory = whole = 0
    partition, kind = "batch", ""
    shape = draw.random()
    if shape < 0.6:
        name, cores = "cores", draw.choice([1, 2, 4, 8, 16, 32, 64])
    elif shape < 0.7:
        name, nodes, per_node, whole = "whole", draw.choice([1, 2, 4, 8]), 16, 1
        cores = nodes * per_node
    elif shape < 0.9:
        name, partition, kind = "gpus", "gpu", draw.choice(["v100", "a100"])
        nodes, per_node, gpus = draw.choice([1, 1, 1, 2]), draw.choice([2, 4, 8]), draw.choice([1, 2, 4])
        cores = nodes * per_node
    else:
        name, nodes, cores, memory = "memory", 1, draw.choice([1, 4, 8]), draw.choice([16, 48, 100]) * 1024
    print(i + 1, arrival, run, limit, nodes, cores, per_node, gpus, gpus, 0, name, partition, memory, 0, "", kind, whole, sep=",")
