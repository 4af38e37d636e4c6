// Package plugin lets a program of the user's schedule: any program that reads lines of
// JSON on its standard input and writes lines of JSON on its standard output.
//
//	auction.Snapshot --Decider--> Snapshot --line--> the program --line--> Answer
//	Answer --judge--> bids that Slurm can be asked for, and Faults of what it cannot
//
// [Decider] is an agent.Decider. A [History] knows what the program got, for what changed since. The messages are the
// types of message.go. From their fields and their texts "about" [Schema] makes the published JSON Schema and
// [Reference] the tables of docs/plugins.md. Tests have programs that are functions.
//
// # Where the program runs
//
// A [Process] is beside its decider. A [Distant] is at the other end of a connection, as the decider
// computes in the cluster and the program of a policy "host:FILE" on the user's machine.
//
//	Decider --Program--> Process
//	Decider --Program--> Distant --Call--> (slurmlabd's output) --> Server --Program--> Process
//	Decider <----------  Distant <--Reply-- (slurmlabd's input) <-- Server <----------  Process
//
// A Process computes only while it is asked: after its answer all processes of its user are
// stopped, and the next question continues them. A Process without a user of its own is stopped with
// its process group. What has left the group is not stopped; the virtual clock sees it compute, as it
// sees everything in the cluster.
//
// # Modules of Python
//
// With the modules below python people write such programs. slurmlab.py is a client of the protocol. On top of it are
// slurmlab_gym.py, an environment with reset and step, and slurmlab_batsim.py, an adapter to the schedulers of the
// simulator Batsim. The binary has them within it.
//
//	slurmlab.py --PythonClient--> the cluster of a policy "exec:FILE", beside its program
//	all         --PythonEnviron-> the environment of a program on the user's machine
//	all         --WritePython---> the directory that "slurmlab plugin python" names
//
// # What is believed
//
// A program is not trusted. Its answer is checked against the snapshot of the question, start by start, in the order
// of the answer. An invalid start is left out, and the others count. Without an answer in time, or with an unreadable
// one, the cycle starts nothing and the next one has a new process. A program that fails too often is given up, and
// from then on the jobs start in the order of the queue.
//
// [Trial] plays recorded snapshots against a program, and lists what is wrong with its answers. They are from a real
// run of workload IV.1 on machine S under the auction. Each is judged alone: what the program starts does not change
// the ones after it. With each snapshot the program gets what a run would send: what changed since the snapshot
// before, and what became of its starts. A start that broke a rule was refused, one whose job waits in the next
// snapshot was returned, and the others started.
//
// Invariants:
//   - The bids of a decision oversell no node of the snapshot and are laid out by the
//     placement rule as they say, whatever the program answered.
//   - Decide fails only when its context ends: no fault of a program ends a run.
//   - Every fault is in the record of the cycle.
//   - Virtual time passes as long as a question is open, whether or not the program
//     computes ([DeciderOptions.Hold]); between two questions it is stopped.
//   - Of a Process with a user of its own nothing lives after End, whatever it has forked. Of one without
//     no more than one process group lives; it dies with the process that started it.
//   - A line of a distant program is judged by the decider alone, and handed on as it is. A
//     Reply belongs to the Call of its number. One that comes after nobody waits for it any more is
//     dropped. A Call to start or to end a program is carried out even while the program is asked.
//   - The modules need Python 3.9 and its standard library, the adapter also pyzmq; slurmlab.py
//     needs none of the others. They change with the protocol, in the same commit.
package plugin
