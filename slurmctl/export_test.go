package slurmctl

import "time"

// SetTimeout changes how long a command may take, between two commands: scontrol starts and ends in its own time, and one
// command is to be late for sure.
func (s *Session) SetTimeout(d time.Duration) { s.timeout = d }
