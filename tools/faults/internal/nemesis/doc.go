// Package nemesis plays one cell of the campaign: it starts a run of slurmlab, waits
// until the run reaches the cell's point, does what the cell says to the victim, lets
// the run go on, and writes down what happened. It judges nothing; package check does.
//
//	slurmlab (tag faults) --socket--> nemesis: reached "end/first"
//	nemesis --docker exec, kill, proxy--> victim
//	nemesis --socket--> slurmlab: go on
//	end of slurmlab -> what is left over -> a fresh run -> what is left over now
//
// A cell has a directory: run and fresh are the run directories, run.err and fresh.err
// what slurmlab printed, tmp its temporary files, and facts.json the check.Facts.
//
// Invariants: of other people's containers and processes the nemesis touches none: it
// finds its own by the directory of the run and by an environment variable. A cell
// leaves nothing of the nemesis behind, also when the run does not end.
package nemesis
