// Package events is what happens to a cluster during a run beside its jobs: nodes go down, are drained and come back,
// and settings change, each at its time.
//
// Flow: [Read] reads events.csv for a machine and lists all its faults. [Write] writes it in one form, by which two
// files are compared ([Sum]). [Event.Words] is the command for scontrol, [Event.Command] the one for sacctmgr, and [Again] repeats commands after a
// checkpoint. [Import] makes events of what slurmdbd recorded of a site's nodes.
//
// Invariants: events that were read are in the order of their times, and of their lines within a second. They name
// nodes of the machine. None resumes a node that is in service, which Slurm would refuse.
package events
