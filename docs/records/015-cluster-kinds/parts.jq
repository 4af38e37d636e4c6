# One line of CSV per run.json: where the real time of a run goes. Usage:
#   jq -rs -f parts.jq RUN/run.json...
# real_s counts from the first submission to the end of the last job; the processor
# times are of the same span. agent_s is that of slurmlabd and of the solver's process,
# clients_s that of all that speaks to Slurm (slurmchannel, scontrol, sbatch).
# real_per_slurmctld is 1 where nothing but slurmctld takes time, other_share is the part of
# all processor time that neither slurmctld nor slurmlabd nor the solver takes.
def r(n): . * pow(10; n) | round / pow(10; n);
["slurm", "machine", "workload", "policy", "seed", "jobs", "virtual_s", "real_s", "speed", "slurmctld_s", "agent_s", "clients_s",
 "database_s", "clock_s", "nodes_s", "real_per_slurmctld", "other_share", "foreign_s", "jumps", "jumps_per_job", "top_source"],
(.[] | select(.fidelity.jump) | .fidelity as $f | $f.busy_s as $b
 | ($b.slurmctld // 0) as $ctld | (($b.slurmlabd // 0) + ($b["slurmlabd solver-worker"] // 0)) as $agent
 | ($b | add) as $all
 | [.slurm, .machine.name, .workload, .policy, .seed, .jobs, ($f.virtual_s | r(0)), ($f.real_s | r(2)), ($f.virtual_s / $f.real_s | r(0)),
    ($ctld | r(2)), ($agent | r(2)), (($b.other // 0) + ($b.slurmchannel // 0) + ($b.scontrol // 0) | r(2)), (($b.mariadbd // 0) + ($b.slurmdbd // 0) | r(2)), (($b.vclockd // 0) | r(2)),
    (($b.slurmd // 0) + ($b.runner // 0) | r(2)), ($f.real_s / $ctld | r(2)), (($all - $ctld - $agent) / $all | r(2)), ($f.foreign_s | r(2)),
    $f.jump.jumps, ($f.jump.jumps / .jobs | r(0)), ($f.jump.sources[0] | "\(.thread) \(.kind) \(.jumps)")])
| @csv
