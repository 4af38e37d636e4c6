// Package benchmark runs the Dynamic Job Scheduling Benchmark (DJSB section 2) through a job
// interface.
//
//	configuration --reference stage--> Reference (times alone)
//	              --execution stage--> Sample, for each scenario, number of analytics and repetition
//
// In a sample the simulation runs; after a sleep drawn from [sleep_min_time, sleep_max_time] an
// analytics is submitted, and when it has ended the next sleep begins. In the plain queue no
// analytics ends before the simulation, so there the next sleep begins with the submission. In
// ScenarioWaiting the simulation comes behind the first analytics, and the others right behind it.
//
// InMemory runs the same stages without Slurm: on a Machine that starts jobs after a delay and lets
// them go as fast as payload.Contention says. Nothing in it is measured. Sensitivity says which of
// the paper's findings the model decides, and how far each parameter can move before one turns over.
//
//	configuration + payload.Contention + delay --InMemory--> Summaries, the same as from a cluster
//	                                           --Sensitivity--> Turn, for each finding and parameter
//
// Slurm's times are whole seconds. A real application may take less than one, so the benchmark places submission, start and
// end of each job inside Slurm's seconds by what the application says.
//
// Invariants:
//   - The sleeps follow from seed, number of analytics and repetition alone: all scenarios that
//     have sleeps have the same.
//   - When Run returns, no job is left: those that have not ended are cancelled. One that could
//     not be cancelled ends the run and is named.
//   - A sample in which a job failed, or in which an analytics came or, where it is to run beside
//     the simulation, started after the simulation's end is Failed and says why; the others go on.
//   - In memory the same arguments give the same results, and no real time passes. Sensitivity moves
//     one parameter; all others stay where they are.
package benchmark
