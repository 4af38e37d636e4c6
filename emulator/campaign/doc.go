// Package campaign plans several runs, carries them out and says how far they are.
//
// A campaign file becomes a list of runs: machines x workloads x seeds or windows x policies with
// settings x kinds of cluster, without what the file excludes. Read walks the file's syntax tree
// (document), loads what it names (Sources), makes each policy with each combination of its settings
// (variants), and forms the product (expand). The runs come in the order in which they are to be made:
// a replica is whole before the next begins, and policies take turns in going first.
//
// What is asked for is a Run: "run" asks for one, a comparison for its Replicas on two or more sides (Pairs), a paper's table and
// a campaign file for many. Run.Config makes of it what package run carries out.
//
// A Study is a campaign file with the folder of its runs: Open reads it, Entries says what is there of each
// run, and Making makes what is missing, in rounds where the campaign adds seeds until it knows a difference
// well enough (aim). A round looks into the folder before its runs, again once the images are known, since others may make
// runs in the same folder, and after its runs, for the manifest and the intervals. On a site's Slurm job arrays make the
// runs (arrays). A Survey is what a report needs of a folder, with a campaign file or without.
//
// An Execution carries runs out, whether a file, a comparison or a paper's table asks for
// them. RunMissing takes what was found, sets broken runs aside, asks for the images and makes
// the others (RunAll): a fleet takes cores of this machine or of several Docker engines, and each core
// makes one run after the other (turns). The metrics that it computes of a complete run, to see whether the
// run can be read, are kept for what is said at the end (Load).
//
// Job arrays: Tasks puts runs together until a task is worth its start, Arrays cuts the tasks into arrays that
// Slurm takes, Array.Argv and Array.Script are an sbatch, JobID its answer. TaskLines is the file that each task
// of an array has its runs from (TaskLine). LiveTasks reads which tasks squeue knows. A run is in one
// task, so that two tasks never have the same run to make.
//
// Invariants: Read reads nothing but through Sources. The error of a bad file lists its faults with their
// lines and fields. No two runs have the same directory. A run's directory depends on its own values
// alone, so that a file which grows keeps the runs that are there. A complete run is never made again;
// whatever ends a command costs no more than the runs that were under way. Nothing is shown but through
// Terminal and Board.
package campaign
