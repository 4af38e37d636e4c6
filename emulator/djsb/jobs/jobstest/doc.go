// Package jobstest has the contract that every implementation of jobs.Scheduler keeps.
//
//	Target (a Scheduler and the files of its jobs) --Contract--> cases, each a job or two
//
// Invariant: a case asserts no time in seconds but what the job itself sleeps.
package jobstest
