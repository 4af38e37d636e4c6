// Package backend is the seam between a cluster and the way it is emulated: a Kind has the
// image with its release series of Slurm, the configuration of the nodes, and the daemons
// that stand for them, which start and end the jobs. Nothing outside a kind's own
// package asks which kind a cluster is.
package backend
