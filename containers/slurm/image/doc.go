// Package image has the Dockerfiles of the cluster images and the scripts that build
// them ("make image"); its tests are of the scripts, without Docker or a mirror but for
// those of .ci/clean.
//
// A folder here is a recipe, a way to get Slurm into an image. Which series has which recipe stands in the table of
// package containers/slurm/backend.
//
// Flow: base.sh makes the base with the label of the checkout, build.sh the toolbox,
// in it the virtual clock, the helper and slurmlabd, and then the image. A script that
// finds out, in a build or before it, that the image cannot be made prints a line "image
// fault: " with the reason and what to do, and build.sh ends with that line alone.
//
// Invariants: Slurm is unmodified, and what it was made from is in the label
// org.slurmlab.sources with checksums. Every image that the scripts make, the builder's
// intermediate ones among them, begins with a base of base.sh, so that .ci/clean finds it.
package image
