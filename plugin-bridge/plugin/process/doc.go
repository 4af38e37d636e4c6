// Package process runs a program that speaks the protocol of package plugin: beside its
// decider ([Process]), or at the other end of a connection ([Distant]), as the decider computes in the
// cluster and the program of a policy "host:FILE" on the user's machine.
//
//	Decider --plugin.Program--> Process
//	Decider --plugin.Program--> Distant --Call--> (slurmlabd's output) --> Server --plugin.Program--> Process
//	Decider <-----------------  Distant <--Reply-- (slurmlabd's input) <-- Server <-----------------  Process
//
// The program computes only while it is asked: after its answer its process group is
// stopped, and the next question continues it. What has left the group is not stopped; the
// virtual clock sees it compute, as it sees everything in the cluster.
//
// The package is apart from package plugin because it starts processes; package plugin does no I/O.
//
// Invariants:
//   - Of a Process no more than one process group lives; it dies with the process
//     that started it.
//   - A line of a program is judged by the decider alone: this package hands it on as it is.
//   - A Reply belongs to the Call of its number. One that comes after nobody waits for it any
//     more is dropped.
//   - A Call to start or to end a program is carried out even while the program is asked.
package process
