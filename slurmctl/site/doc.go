// Package site reads what a cluster's own files say of its nodes, partitions, reservations, QOS, accounts and
// job_submit.lua, and makes a layout of them.
//
//	slurm.conf, gres.conf and topology.conf with what they include, topology.yaml, job_submit.lua,
//	output of "scontrol show node", "scontrol show partition" and "scontrol show reservation",
//	file of "sacctmgr dump", output of "sacctmgr -P show qos", "sacctmgr -P show assoc" and of "sshare -a -P"
//	    -> records: Key=Value pairs with their lines
//	    -> nodes, partitions, QOS and accounts with the site's names
//	    -> layout.Layout: nodes that are alike, and in the same partitions, are a group
//
// Flow: Read takes files in any order, finds out by their text what each is, and returns a
// Cluster. Output of scontrol has the last word on a node or a partition, since it says what
// slurmctld made of the files; the table of QOS has it on a QOS.
//
// The package stands apart from package layout, which all that knows machines uses: how the files of a site are
// written, with what they include and leave out, is known here alone.
//
// Files in the syntax of slurm.conf have one parser, which follows src/common/parse_config.c of Slurm (syntax.go). What the keys of
// nodes and partitions mean follows src/common/read_config.c (shape.go, partition.go), and keys.go says what becomes of each.
//
// A CPU of a layout is a core. Where a CPU of the site is a thread, cpus.go turns its limits, weights and usage into those of cores.
//
// Invariants: the layout of a Cluster has no faults, and nodes keep the order of the files within a group. Each
// setting of the files that a layout cannot express becomes a note. All faults of all files are found at once, each
// with file, line and key.
package site
