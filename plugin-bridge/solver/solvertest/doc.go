// Package solvertest has the solver of tests that play whole auctions without a worker.
//
// Invariants: no product imports it; it decides what package solver decides within its
// quick limits.
package solvertest
