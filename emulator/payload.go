package emulator

import "fmt"

// payload is the script of a sleep job that ends runtime virtual seconds after
// Slurm's start time of the job. It counts from that start time, and not from
// its own first instruction, so that the time slurmd takes to launch it, which
// on one machine with a fast clock grows with the number of jobs, is no part of
// the run time. Only builtins of bash are used up to the sleep: no fork costs
// time.
func payload(runtime int) string {
	return fmt.Sprintf(`#!/bin/bash
end=$(( (SLURM_JOB_START_TIME + %d) * 1000000 ))
left=$(( end - ${EPOCHREALTIME/./} ))
if (( left > 0 )); then
	printf -v fraction %%06d $((left %% 1000000))
	exec sleep "$((left / 1000000)).$fraction"
fi
`, runtime)
}
