// Command reference writes a reference of slurmlab from slurmlab's own code into a directory. It writes commands and
// flags, as manual pages and as Markdown (the pages of docs/reference). As Markdown it also writes the policies and
// their parameters, the keys of a campaign file, the files of a run with their columns and keys, and the exit codes.
//
// Flow: [Commands] reads the tree of commands into plain values, and [Man] and [Pages] turn these into pages, by
// their file names. Other pages ask the package that owns a thing for its names. What each means stands here
// (meanings.go), or, for keys of files that people write, in the tags of the types that are read (package input). The
// same tags make the JSON schema of machine files. main puts pages into a directory.
//
// Invariants: a page depends only on the code, so that the same code gives the same bytes. A name without a meaning,
// and a meaning whose name is gone, is an error. Only main.go writes files. The command is a program of its own, so
// that slurmlab carries no writer of manual pages.
package main
