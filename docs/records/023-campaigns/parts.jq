# One line of CSV per run.json: where the real time of a run goes. Usage:
#   jq -rs -f parts.jq RUN/run.json...
# took_s is from the start of the run to its end. around_s is what of it is before the first submission and
# after the last job: create_s is making the container, boot_s booting, collect_s fetching the files and removing
# the container; runs from before these were recorded have none. The processor times are of the rest:
# Slurm's own daemons with MariaDB, slurmlab's agent and solver, the clock, and
# slurmlab's programs that submit, run and ask.
def r(n): . * pow(10; n) | round / pow(10; n);
def seconds: (.[0:19] + "Z" | fromdate) + ((.[19:] | rtrimstr("Z") | if . == "" then "0" else "0" + . end) | tonumber);
["machine", "workload", "policy", "seed", "jobs", "took_s", "around_s", "around_percent", "create_s", "boot_s", "collect_s", "slurm_s", "agent_s", "clock_s", "clients_s", "foreign_s", "virtual_s", "runs_per_core_hour"],
(.[] | select(.fidelity) | .fidelity as $f | $f.busy_s as $b
 | ((.finished | seconds) - (.started | seconds)) as $took | ($took - $f.real_s) as $around
 | [.machine.name, .workload, .policy, .seed, .jobs, ($took | r(2)), ($around | r(2)), (100 * $around / $took | r(1)),
    (.stages.create_s, .stages.boot_s, .stages.collect_s | if . then r(2) else "" end),
    (($b.slurmctld // 0) + ($b.slurmdbd // 0) + ($b.mariadbd // 0) + ($b.slurmd // 0) | r(2)), (($b.slurmlabd // 0) + ($b["slurmlabd solver-worker"] // 0) | r(2)),
    (($b.vclockd // 0) | r(2)), (($b.runner // 0) + ($b.slurmchannel // 0) + ($b.scontrol // 0) + ($b.sbatch // 0) + ($b.other // 0) | r(2)),
    ($f.foreign_s | r(2)), ($f.virtual_s | r(0)), (3600 / $took | r(0))])
| @csv
