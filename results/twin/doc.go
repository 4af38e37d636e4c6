// Package twin puts the waits that a trace recorded beside those of a run of the same jobs, and
// says what the run is good for as a twin of the recorded cluster.
//
// Flow: whoever has a run and its trace makes a Pair of each job that started in both; Compare
// makes a Row of all pairs, of each partition and of each class of sizes; Judge turns the row
// of all jobs into a Verdict, by bounds that are constants here and stand in docs/twin.md.
//
// Invariants: nothing is fitted or corrected; the same pairs in another order give the same
// rows; the judgement looks at waits alone.
package twin
