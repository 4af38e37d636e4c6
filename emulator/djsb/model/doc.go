// Package model runs the benchmark in memory: on a machine without Slurm that starts jobs after
// a delay and lets them go as fast as payload.Contention says.
//
//	configuration + payload.Contention + delay --Run--> Results, the same as from a cluster
//	                                         --Sensitivity--> Turn, for each finding and parameter
//
// It runs the same stages as on a cluster (package benchmark). Nothing in it is measured: it
// says which of the paper's findings the model decides, and how far each parameter can move
// before one turns over.
//
// Invariants:
//   - The same arguments give the same results. No real time passes.
//   - A parameter is moved alone; all others stay where they are.
package model
