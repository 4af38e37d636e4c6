// Package djsb has the metrics of the Dynamic Job Scheduling Benchmark (DJSB sections 2.4,
// 2.5 and 4.3): slowdowns, weights and dynamicity of a sample, and their means over samples.
//
//	Reference (times alone) + Sample (times shared) --Evaluate--> Metrics --Summarise--> Summary
//	several Results, each a Side --> differences, findings on two configurations, orders of scenarios
//
// Names follow the paper: s is the simulation, a the analytics, n_a their number during one
// simulation, N the cores that a job uses, T its execution time.
//
// Equations (3) to (8) have n_a in the weight of the simulation and not in the weight of the analytics.
// Metrics.Dynamicity keeps to the letter; Metrics.DynamicityOfAll weighs all n_a analytics. See
// docs/design/019-djsb.md for which of them the paper's figures fit.
//
// Invariants:
//   - Without analytics the dynamicity is 1/slowdown of the simulation; with slowdowns of 1
//     it is 1.
//   - A sample that failed has no metrics and is in no mean; a Summary counts it.
//   - Sides are compared sample by sample. What neither an interval nor the seconds of Slurm's
//     clock tell apart is called no difference.
//   - Times are in seconds, dynamicity and slowdowns have no unit.
package djsb
