// Package faults collects what is wrong with one input, so that its reader can name
// all faults at once and not one a run.
//
// A Fault is one broken rule: file, line, field, what is wrong and what is allowed. All
// readers of files use it: those of machines, workloads, traces and a site's configuration.
//
// For a word that is none of the known ones it says which one may have been meant
// (DidYouMean, and Allowed with the known ones beside it).
//
// Flow: a reader adds each fault with its line; Err makes one error of the first
// ones, a line each, and counts the others.
//
// Invariants: an error has at most Most faults, in the order of the input's lines. A List needs no more memory than
// that, however bad the input. The faults stay in the chain of the error (errors.Is).
package faults
