// Package backendtest runs tests on real clusters of several backends.
//
// The core set of tests runs on all Core backends, one after the other in one test with subtests named by backend. It
// covers the contract of package slurmtest, the guards of job_submit.lua, GPU ranges, priorities, the completion log,
// the stages of a boot, the clock, and one workload under both policies with its accounting. A part of the contract
// also runs on the Others. What else needs a cluster runs on the Quick backend. Nothing is skipped: without an image a
// test fails.
//
// Invariants: a test submits jobs by the command "submit", which every backend runs, and calls
// the command "accounted" before it reads by sacct how jobs ended.
package backendtest
