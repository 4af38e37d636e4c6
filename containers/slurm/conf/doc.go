// Package conf renders the configuration of one emulated cluster: slurm.conf,
// topology.conf, slurmdbd.conf and job_submit.lua, with what its backend says of the nodes
// (Nodes).
//
// Flow: a Spec (machine, scheduler, priority, clock) is validated and turned into
// Files, which package containers/slurm/boot writes to /etc/slurm. The package does no
// I/O. Spec.Text is how a spec gets into the container of its cluster.
//
// People can set Lines of slurm.conf. CheckLine looks at one before anything starts, and PutLines replaces the lines
// of the same keys. Shown and CompareLines compare them with what "scontrol show config" of the booted cluster
// prints.
//
// Invariants: node names are n1..nN in natural order. All schedulers get the same files but for SchedulerType, the
// hold switch of job_submit.lua and, for backfill with Slurm's defaults, the missing line SchedulerParameters. So two
// runs of one priority differ in nothing else. What priority/multifactor adds to priority/basic is the same under all
// schedulers. A key is spelled as in slurm.conf(5), so that a setting has one name. Each key of Slurm's table
// (slurm_conf_options in src/common/read_config.c) of each series can be set or has a reason why not.
package conf
