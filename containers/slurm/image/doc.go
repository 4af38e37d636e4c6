// Package image has the Dockerfiles of the cluster images and the scripts that build
// them ("make image"), and keeps an image in a file, for machines that cannot build it. Tests of the
// scripts need neither Docker nor a mirror but for those of .ci/clean.
//
// A folder here is a recipe, a way to get Slurm into an image. Which series has which recipe stands in the table of
// package containers/slurm/backend.
//
// Flow: base.sh makes the base with the label of the checkout. build.sh makes the toolbox, in it the virtual clock,
// the helper and slurmlabd, and then the image. A script may find out, in a build or before it, that the image cannot
// be made. It then prints a line "image fault: " with the reason and what to do, and build.sh ends with that line
// alone.
//
// [Write] makes the file of an image from what "docker save" prints; [Read] finds which image is in the file, and
// [Image.Layers] gives its layers, which a [Tree] unpacks. The file is a tar archive that two kinds of programs read. It is an image layout
// of the Open Container Initiative (image-spec v1.1: oci-layout, index.json and blobs). It also has the manifest.json
// by which "docker load" of any version finds configuration and layers among these blobs. Docker 25 and later save
// the same form, older ones only their own.
//
// Invariants: Slurm is unmodified, and what it was made from is in the label
// org.slurmlab.sources with checksums. Every image that the scripts make, the builder's
// intermediate ones among them, begins with a base of base.sh, so that .ci/clean finds it.
// The same saved image gives the same bytes in a file. Layers are compressed with gzip;
// every blob has its SHA-256 as its name. Read keeps no more of a file in memory than
// [mostText] of text and [mostFiles] names, and takes nothing for an image whose files are not all there. A Tree reaches
// nothing outside its directory, whatever the layers say.
package image
