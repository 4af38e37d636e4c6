// Package distant puts a connection between a plugin.Decider and its program: the decider
// computes in the cluster, the program of a policy "host:FILE" on the user's machine.
//
//	Decider --plugin.Program--> Program --Call--> (slurmlabd's output) --> Server --plugin.Program--> process.Process
//	Decider <-----------------  Program <--Reply-- (slurmlabd's input) <-- Server <-----------------  process.Process
//
// Invariants:
//   - A line of a program is judged by the decider alone: this package hands it on as it is.
//   - A Reply belongs to the Call of its number. One that comes after nobody waits for it any
//     more is dropped.
//   - A Call to start or to end a program is carried out even while the program is asked.
package distant
