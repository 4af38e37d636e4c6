package lua

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed job_submit.lua
var submission string

//go:embed job_modify.lua
var modification string

const (
	holdLine    = "local hold = false"
	machineLine = "local nodes, cores, gpus = 0, 0, 0"
)

// Machine is what the script knows of the machine; Cores and GPUs are per node.
type Machine struct{ Nodes, Cores, GPUs int }

// Script returns the text of job_submit.lua for a machine. With hold set, every
// submitted job is held (Slurm 24.11, src/plugins/job_submit/lua).
func Script(hold bool, m Machine) string {
	return strings.NewReplacer(
		holdLine, fmt.Sprintf("local hold = %t", hold),
		machineLine, fmt.Sprintf("local nodes, cores, gpus = %d, %d, %d", m.Nodes, m.Cores, m.GPUs),
	).Replace(submission + "\n" + modification)
}
