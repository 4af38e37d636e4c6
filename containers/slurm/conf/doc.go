// Package conf renders the configuration of one emulated cluster: slurm.conf,
// topology.conf, slurmdbd.conf and job_submit.lua, with what its kind says of the nodes
// (Nodes).
//
// Flow: a Spec (machine, scheduler, priority, clock) is validated and turned into
// Files, which package containers/slurm/boot writes to /etc/slurm. The package does no
// I/O. Spec.Text is how a spec gets into the container of its cluster.
//
// Invariants: node names are n1..nN in natural order; all schedulers get the
// same files but for SchedulerType, the hold switch of job_submit.lua and, for
// backfill with Slurm's defaults, the line SchedulerParameters that is missing;
// so two runs of one priority differ in nothing else. What priority/multifactor
// adds to priority/basic is the same under all schedulers.
package conf
