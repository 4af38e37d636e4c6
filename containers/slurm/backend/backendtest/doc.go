// Package backendtest runs tests on real clusters of several kinds.
//
// The core set of tests runs on all Core kinds, one after the other in one test with
// subtests named by series: the contract of package slurmtest, the guards of
// job_submit.lua, GPU ranges, priorities, the completion log, the stages of a boot, the
// clock, and one workload under both policies with its accounting. A part of the
// contract runs on the Others, too. What else costs a cluster runs on the Quick kind.
// Nothing is skipped: without an image a test fails.
//
// Invariants: a test submits jobs by the command "submit", which every kind runs, and calls
// the command "accounted" before it reads by sacct how jobs ended.
package backendtest
