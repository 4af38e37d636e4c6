// Package settings knows the lines of slurm.conf: which keys Slurm has, which of them the
// cluster itself needs as they are, and what a running Slurm says that a line became.
//
// Flow: Check looks at a line before anything starts, Put writes lines into a slurm.conf in the
// place of those of their keys, and Shown and Compare hold them against what "scontrol show
// config" of the booted cluster prints. The package does no I/O.
//
// Invariants: a key is spelled as in slurm.conf(5), so that a setting has one name; each key of
// Slurm's table (slurm_conf_options in src/common/read_config.c) of 24.11 and of 26.05 either can
// be set or has a reason why not.
package settings
