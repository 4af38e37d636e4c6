// Package checkpoint packs what the daemons of a cluster leave when they end in good order, and
// puts it where those of another cluster find it.
//
// Flow: a run that stops ends its daemons (boot.State.ShutDown) and has Pack write Path. slurmlab
// copies that file out of the container, and into the one of a run that goes on. There the boot
// unpacks it in the place of the image's empty database, an archive of the same form.
//
// Invariants: only directories and regular files are packed, no socket and no pipe, with their
// modes and times and without owners, which the boot gives; Unpack writes nowhere but below the
// directories that its caller names (boot.CheckpointDirs), whatever the archive says, and no file
// that is larger than the room there is. What is zero becomes a hole.
package checkpoint
