// Package warnings lists what speaks against the numbers of runs: jobs that failed,
// placements that differ from their plan, limits that were reached, virtual time that
// was disturbed, runs that cannot be compared.
//
// # Flow
//
// The caller reads runs and computes their metrics. [OfRun] is about the numbers of
// one run, [OfRuns] about comparing several, [OfJobs] about a run that is still to be
// made. The terminal and the report say these
// sentences where they show the numbers.
//
// # Invariants
//
//   - A warning is a text for people that can be understood alone, but for the name
//     of the run, which the caller adds.
//   - A run without warnings has none of these faults, as far as its files tell.
package warnings
