// Package campaign plans several runs, carries them out and says how far they are.
//
// A campaign file becomes a list of runs: machines x workloads x seeds or windows x policies with settings x
// backends, without what the file excludes. Read walks the file's syntax tree (document), loads what it names
// (Sources), makes each policy with each combination of its settings (variants), and forms the product (expand). The
// runs come in the order in which they are to be made. A replica is whole before the next begins, and policies take
// turns in going first.
//
// What is asked for is a drive.Spec. A Run names it for its directory: "run" asks for one, a comparison for its Replicas on two or
// more sides (Pairs), a paper's table and a campaign file for many. Run.Config adds how package run carries it out.
//
// A Study is a campaign file with the folder of its runs. Open reads it, and Entries says what is there of each run.
// Making makes what is missing, in rounds where the campaign adds seeds until it knows a difference well enough
// (aim). A round looks into the folder three times: before its runs, again at those that are not complete once the images are
// known, since others may make runs in the same folder, and after its runs, for the manifest and the intervals. On a site's Slurm job
// arrays make the runs (arrays). A Survey is what a report needs of a folder, with a campaign file or without.
//
// An Execution carries runs out, whether a file, a comparison or a paper's table asks for them. RunMissing takes what
// was found, sets broken runs aside, asks for the images and makes the others (RunAll). A fleet takes cores of this
// machine or of several Docker engines, and each core makes one run after the other (turns). To see whether a
// complete run can be read, RunMissing computes its metrics, and keeps them for the end of the command (Load).
//
// Job arrays: Tasks puts runs together until a task is worth its start, and Arrays cuts the tasks into arrays that
// Slurm takes. Array.Argv and Array.Script are an sbatch, JobID its answer. TaskLines is the file that each task of
// an array has its runs from (TaskLine). LiveTasks reads which tasks squeue knows. A run is in one task, so that two
// tasks never have the same run to make.
//
// Invariants: Read reads only through Sources. The error of a bad file lists its faults with their lines and fields.
// No two runs have the same directory. A run's directory depends on its own values alone, so that a file which grows
// keeps its old runs. A complete run is never made again; whatever ends a command costs no more than the runs that
// were under way. Only Terminal and Board show anything.
package campaign
