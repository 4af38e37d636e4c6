package conf

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed job_submit.lua
var submitLua string

//go:embed job_external.lua
var externalLua string

//go:embed job_modify.lua
var modifyLua string

//go:embed job_site.lua
var siteLua string

const (
	holdLine    = "local hold = false"
	machineLine = "local nodes, cores, gpus = 0, 0, 0"
	scriptsLine = `local scripts = ""`
	agentLine   = "local agent = 0"
	siteLine    = `local site_script = ""`
)

// ScriptDir is the directory in which the scripts of external jobs are kept.
const ScriptDir = "/var/spool/slurmlab"

// submitMachine is what the script knows of the machine; Cores and GPUs are per node.
type submitMachine struct{ Nodes, Cores, GPUs int }

// submitOptions say what a script does.
type submitOptions struct {
	// Hold holds every job as it is submitted.
	Hold bool
	// External makes every job external: its script is kept in ScriptDir, under the
	// name that the job's admin comment tells as "script=".
	External bool
	// Agent is the user id of the agent and of Slurm's daemons.
	Agent int
	// Site is the file of the site's own script, which sees each job first; "" for none.
	Site string
}

// jobSubmit returns the text of job_submit.lua for a machine (src/plugins/job_submit/lua of
// Slurm 24.11 and 26.05).
//
// The script is the Slurm side of the bridge between slurmctld and the external scheduler.
//
// In a run whose policy is ours the script holds each job as it is submitted (priority 0), so Slurm's own scheduler
// never considers it. It refuses the changes by which a job's owner could slip past the scheduler. In any other run
// the script lets every job pass and changes only ranges of GPUs. The plugin is loaded in every run, so that
// configurations differ in one line.
//
// In every run it turns a range of GPUs, --gres=gpu:1-3, into its least number,
// which Slurm understands. A held job's request, with the range and whatever else
// a release overwrites, goes into the admin comment as words KEY=VALUE, which
// package agent reads. A held job with alternatives ("slurmlab alt:" in its
// comment) loses its GPUs until its release, because Slurm can give a job GPUs
// and not take them away.
//
// A request that the agent would have to change is refused with the reason: a range of nodes such as -N 2-4 beside --ntasks-per-node, GPUs
// other than by node, and all else that the function refusal in the script lists. A request that not even the idle
// machine can run is also refused: of a held job Slurm does not find that out.
//
// A hold by a job's owner (sbatch --hold, scontrol hold and uhold) must be distinct from the hold of the script, and
// both are priority 0 with the reason JobHeldUser. The script lets such a job begin in the year 2100 and says so in
// its Extra; after "scontrol release" the job waits for the agent. People in a cluster's container are the same user
// as the agent, root or the only user that there is. So the agent announces its holds and releases by an update with
// ResetAccrueTime, a word that people do not use.
//
// On a cluster of external nodes the script moreover makes every job external, whatever schedules it. It takes the
// batch script from the job, keeps it in a file (ScriptDir) and writes the file's name into the admin comment. Beside
// a script that is to be run it keeps its arguments, its environment and what else Slurm forgets of an external job.
// It keeps them in strings that end with a zero byte, which no text of a user's contains. What cannot run there, such
// as job arrays, srun and salloc, is refused.
//
// A site may have a script of its own. It runs first, in an environment of its own, and sees the user of a job where
// a run submits it as root. What it changes is what is scheduled, and a job that it refuses is refused.
//
// The script is job_submit.lua (submissions), job_external.lua on such a cluster,
// job_modify.lua after it, and job_site.lua where there is a site's. It uses nothing that Lua 5.1, which Debian links, or 5.4 lacks.
//
// Invariants: a user's request is scheduled unchanged, or refused. The agent reads in an admin comment only what the
// script wrote, and no text of a user's can add a word to it. Only the agent starts a job, or changes what the admin
// comment keeps of its request.
func jobSubmit(o submitOptions, m submitMachine) string {
	text := submitLua + "\n"
	if o.External {
		text += externalLua + "\n"
	}
	text += modifyLua + "\n"
	if o.Site != "" {
		text += siteLua + "\n"
	}
	return strings.NewReplacer(
		holdLine, fmt.Sprintf("local hold = %t", o.Hold),
		machineLine, fmt.Sprintf("local nodes, cores, gpus = %d, %d, %d", m.Nodes, m.Cores, m.GPUs),
		scriptsLine, fmt.Sprintf("local scripts = %q", ScriptDir),
		agentLine, fmt.Sprintf("local agent = %d", o.Agent),
		siteLine, fmt.Sprintf("local site_script = %q", o.Site),
	).Replace(text + "return slurm.SUCCESS\n")
}
