// Package backend emulates a cluster in one of several ways. A [Backend] has two fields. The form decides what its
// nodes are, and which daemons stand for them and start and end the jobs. The release series is its Slurm's, which is
// in an image.
//
// Flow: [All] reads series.txt, the one table of series. People choose a backend by its name; Nodes of it goes to package
// containers/slurm/boot, its Image to the engine.
//
// A new series is a line of series.txt, beside a folder of containers/slurm/image where no Dockerfile there builds it. A
// new form is a file here with its Traits, and a case of Form.traits.
//
// Invariants: what a cluster can do is asked of its backend ([Traits]); nobody else compares names or series. Names differ
// though several series have the same form. What only one form knows is in the file of that form.
package backend
