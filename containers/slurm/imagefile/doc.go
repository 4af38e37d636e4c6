// Package imagefile keeps a cluster image in a file, for machines that cannot build it.
//
// Flow: [Write] makes the file from what "docker save" prints; [Read] tells from the file
// which image is in it, and [Image.Layers] gives its layers.
//
// The file is a tar archive that two kinds of programs read. It is an image layout of the
// Open Container Initiative (image-spec v1.1: oci-layout, index.json and blobs), and it has
// the manifest.json by which "docker load" of any version finds configuration and layers
// among these blobs. What Docker 25 and later save is of the same form; older ones save
// their own alone.
//
// Invariants: the same saved image gives the same bytes. Layers are compressed with gzip;
// every blob has its SHA-256 as its name. Read keeps no more of a file in memory than
// [mostText], and takes nothing for an image whose files are not all there.
package imagefile
