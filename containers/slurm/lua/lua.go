package lua

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed job_submit.lua
var submission string

//go:embed job_external.lua
var externals string

//go:embed job_modify.lua
var modification string

//go:embed job_site.lua
var sites string

const (
	holdLine    = "local hold = false"
	machineLine = "local nodes, cores, gpus = 0, 0, 0"
	scriptsLine = `local scripts = ""`
	agentLine   = "local agent = 0"
	siteLine    = `local site_script = ""`
)

// ScriptDir is the directory in which the scripts of external jobs are kept.
const ScriptDir = "/var/spool/slurmlab"

// Machine is what the script knows of the machine; Cores and GPUs are per node.
type Machine struct{ Nodes, Cores, GPUs int }

// Options say what a script does.
type Options struct {
	// Hold holds every job as it is submitted.
	Hold bool
	// External makes every job external: its script is kept in ScriptDir, under the
	// name that the job's admin comment tells as "script=".
	External bool
	// Agent is the user id of the agent, which is that of Slurm's daemons.
	Agent int
	// Site is the file of the site's own script, which sees each job first; "" for none.
	Site string
}

// Script returns the text of job_submit.lua for a machine (src/plugins/job_submit/lua of
// Slurm 24.11 and 26.05).
func Script(o Options, m Machine) string {
	text := submission + "\n"
	if o.External {
		text += externals + "\n"
	}
	text += modification + "\n"
	if o.Site != "" {
		text += sites + "\n"
	}
	return strings.NewReplacer(
		holdLine, fmt.Sprintf("local hold = %t", o.Hold),
		machineLine, fmt.Sprintf("local nodes, cores, gpus = %d, %d, %d", m.Nodes, m.Cores, m.GPUs),
		scriptsLine, fmt.Sprintf("local scripts = %q", ScriptDir),
		agentLine, fmt.Sprintf("local agent = %d", o.Agent),
		siteLine, fmt.Sprintf("local site_script = %q", o.Site),
	).Replace(text + "return slurm.SUCCESS\n")
}
