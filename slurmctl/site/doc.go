// Package site reads what a cluster's own files say of its nodes, partitions, reservations, QOS, accounts and
// job_submit.lua, and makes a layout of them.
//
//	slurm.conf (with what it includes), gres.conf, topology.conf, job_submit.lua,
//	output of "scontrol show node", "scontrol show partition" and "scontrol show reservation",
//	file of "sacctmgr dump", output of "sacctmgr -P show qos" and of "sshare -a -P"
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
// Invariants: the layout of a Cluster has no faults; nodes keep the order of the files
// within a group; what the files say and a layout cannot is a note, never dropped without a word.
// All faults of all files are found at once, each with file, line and key.
package site
