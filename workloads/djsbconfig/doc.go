// Package djsbconfig has the configurations of the Dynamic Job Scheduling Benchmark (DJSB sections 2.1 to 2.3): its
// applications, scenarios and systems.
//
//	name of a built-in configuration, or a YAML file --LoadDJSB--> DJSB
//	flags --DJSBSetting--> values in the place of the file's
//
// Invariants:
//   - The JSON form of a configuration is itself a valid file.
//   - A configuration that LoadDJSB returns has no fault (Check), and its scenarios are some that its system can have.
//   - The error has all faults, each with its line or its flag.
//
// It imports only packages of workloads, slurmctl and internal.
package djsbconfig
