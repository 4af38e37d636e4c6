// Package slurm is a testcontainers module: one container with MariaDB,
// slurmdbd, slurmctld and the daemon that stands for all nodes of an
// emulated machine.
//
// Flow: Run starts the image, hands slurmlabd the cluster's conf.Spec in an
// environment variable and returns once slurmlabd has reported on its standard
// output that the daemons answered it. Remote.Run then runs commands on the
// cluster's clock, all through one program in the container (commands.go).
// Stream runs a program of its own and passes its output on as it comes.
//
// The image is built from the folder image (make image).
//
// A cluster of a run lives no longer than the process that started it (lease).
//
// A cluster has no network but the loopback, six capabilities of root, and limits of
// memory and processes that follow from its machine and its jobs (limits.go).
//
// Invariants: no port is published, nothing runs privileged, and two containers share only the image. Like every
// testcontainers module Run returns the container together with an error where there is one to terminate.
package slurm
