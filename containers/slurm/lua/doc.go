// Package lua is the Slurm side of the bridge between slurmctld and the
// external scheduler: a script for Slurm's job_submit/lua plugin.
//
// In a run whose policy is ours the script holds each job as it is submitted
// (priority 0), so Slurm's own scheduler never considers it, and refuses the
// changes by which a job's owner could slip past the scheduler. In any other
// run the script lets every job pass, and changes nothing but ranges of GPUs; the
// plugin is loaded in every run, so that configurations differ in one line.
//
// In every run it turns a range of GPUs, --gres=gpu:1-3, into its least number,
// which Slurm understands. A held job's request, with the range and whatever else
// a release overwrites, goes into the admin comment as words KEY=VALUE, which
// package agent reads. A held job with alternatives ("slurmlab alt:" in its
// comment) loses its GPUs until its release, because Slurm can give a job GPUs
// and not take them away.
//
// A request that the agent would have to change is refused with the reason: a
// range of nodes such as -N 2-4, GPUs other than by node, and all else that the
// function refusal in the script lists. One that not even the idle machine can run is
// refused, too: of a held job Slurm does not find that out.
//
// A hold by a job's owner (sbatch --hold, scontrol hold and uhold) must be told apart
// from the hold of the script, and both are priority 0 with the reason JobHeldUser. The
// script lets such a job begin in the year 2100 and says so in its Extra; after
// "scontrol release" the job waits for the agent. People in a cluster's container are
// the same user as the agent, root or the only user that there is, so the agent announces its holds and releases by an update with
// ResetAccrueTime, a word that people do not use.
//
// On a cluster of external nodes the script moreover makes every job external, whatever
// schedules it: it takes the batch script from the job, keeps it in a file (ScriptDir)
// and writes the file's name into the admin comment. Beside a script that is to be run it
// keeps its arguments, its environment and what else Slurm forgets of an external job, in
// strings that end with a zero byte, which no text of a user's contains. What cannot run
// there, such as job arrays, srun and salloc, is refused.
//
// A site may have a script of its own. It runs first, in an environment of its own, and sees
// the user of a job where a run submits it as root: what it changes is what is scheduled,
// and a job that it refuses is refused.
//
// The script is job_submit.lua (submissions), job_external.lua on such a cluster,
// job_modify.lua after it, and job_site.lua where there is a site's. It uses nothing that Lua 5.1, which Debian links, or 5.4 lacks.
//
// Invariants: what a user asked for is scheduled as it was asked for, or refused; what
// the agent reads in an admin comment was written by the script, and no text of a user's
// can add a word to it; nobody but the agent starts a job, or changes what the admin
// comment keeps of its request.
package lua
