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

const (
	holdLine    = "local hold = false"
	machineLine = "local nodes, cores, gpus = 0, 0, 0"
	scriptsLine = `local scripts = ""`
	agentLine   = "local agent = 0"
)

// ScriptDir is the directory in which the scripts of external jobs are kept.
const ScriptDir = "/var/spool/slurmlab"

// Machine is what the script knows of the machine; Cores and GPUs are per node.
type Machine struct{ Nodes, Cores, GPUs int }

// Script returns the text of job_submit.lua for a machine. With hold set, every
// submitted job is held (src/plugins/job_submit/lua of Slurm 24.11 and 26.05). With
// external set, every job becomes external: its script is kept in ScriptDir, under the
// name that the job's admin comment tells as "script=". agent is the user id of the agent, which
// is that of Slurm's daemons.
func Script(hold, external bool, agent int, m Machine) string {
	text := submission + "\n"
	if external {
		text += externals + "\n"
	}
	return strings.NewReplacer(
		holdLine, fmt.Sprintf("local hold = %t", hold),
		machineLine, fmt.Sprintf("local nodes, cores, gpus = %d, %d, %d", m.Nodes, m.Cores, m.GPUs),
		scriptsLine, fmt.Sprintf("local scripts = %q", ScriptDir),
		agentLine, fmt.Sprintf("local agent = %d", agent),
	).Replace(text + modification)
}
