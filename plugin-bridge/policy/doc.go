// Package policy is the one place that says what a policy is: who schedules the
// jobs of a cluster, and with which settings.
//
//	policies.yaml --All, Find--> Policy --Scheduler, Priority--> lines of slurm.conf
//	                                    --Parameters--> settings of the agent
//
// A policy is either Slurm's own, such as sched/backfill with certain
// SchedulerParameters, or one under which every job is held and the agent (package
// agent) decides. A new policy of Slurm's own is one entry of policies.yaml, and so
// is a new one of the agent that differs from others in its settings.
//
// Settings change a policy (Policy.Change): parameters of the agent, words of SchedulerParameters, and
// lines of slurm.conf, of which package containers/slurm/conf knows those that can be set.
//
// An agent chooses the nodes of jobs, and does not know all that Slurm knows: Policy.CheckLayout and
// Policy.Columns say of which machines and of which columns of a workload.
//
// A parameter of the agent is declared once, as a knob in parameters.go. Its name, default, allowed values and help
// make its key in policies.yaml and in run.json, its flag, its check and its line in "slurmlab policy describe".
//
// Invariants: the order of the knobs is the order of the keys in run.json, which
// readers of runs compare byte by byte. What a recorded run says about itself is
// never looked up here (results/trace.Run): an entry may change after the run. The
// package does no I/O, as policies.yaml is part of the program.
package policy
