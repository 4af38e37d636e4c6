package benchmark

import (
	"fmt"

	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// CommandScript is the script of an application that is a program of the user's. Variables tell
// it what the configuration says of it, memory in bytes and time in seconds.
func CommandScript(_ Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
	return fmt.Sprintf(`#!/bin/bash
export DJSB_SCENARIO=%s DJSB_TASKS=%d DJSB_TASKS_PER_NODE=%d DJSB_CPUS_PER_TASK=%d DJSB_TOTAL_MEMORY=%d DJSB_EXEC_TIME=%d
%s
`, scenario, a.TotalTasks, a.TasksPerNode, a.CPUsPerTask, int64(a.TotalMemory), int(a.ExecTime.Seconds()), a.Command)
}
