// Package channel reads Slurm's state, submits jobs and cancels them through one long-lived program,
// slurmchannel (folder helper), instead of a new squeue, scontrol, sbatch or scancel each time.
//
// Flow: a Helper starts the program on the cluster's clock, writes it a question and reads rows of cells. A Reader
// asks for jobs and nodes and keeps a picture of each, because an answer has only what has changed since the last
// one. Its methods return the same values as slurmctl.Client, which it replaces for callers that read often.
//
// Helper.Submit hands in a job with all that sbatch would have sent. Helper.Cancel cancels as the owner of a job would.
//
// libslurm has no official call for some things, and the slurmctl.Client inside the Reader runs commands for them.
// These are the cores of a job that has ended (scontrol -d show job), and switches and shares, which are read once.
//
// Invariants:
//   - A picture is as Slurm had it when the answer was made, or there is an error: a
//     row that is not understood, a number of rows that does not fit, a helper that
//     dies or does not answer in time end the helper and its pictures. The next
//     question starts another one, which tells everything.
//   - An error that Slurm itself tells ends nothing: it wraps
//     slurmctl.ErrUnavailable, or is a *slurmctl.RefusedError.
//   - A question that changes something is asked once (AskOnce), unless asking it twice
//     comes to the same. If the answer is missing, whether it took effect is unknown.
//   - slurmctld cannot tell a job of Submit from one of sbatch. A test on real clusters
//     compares what slurmctld heard, field by field.
//   - Cells are what squeue and scontrol print, read by the same code
//     (slurmctl.ReadQueued, slurmctl.ReadNode). A test on real clusters compares
//     both ways in many states.
package channel
