// Package check says which faults the campaign plays, and judges one that was played by the files that it left.
//
// Faults are the cells of a table. Its columns are what is done, to whom, when, under which policy and on which
// backend. Cells lists every cell that can be produced, Impossible says why the others cannot. Cover chooses cells
// until each pair of values that occurs in some cell is in a chosen one (pairwise coverage). PluginCells lists cells
// of plug-ins that misbehave, all of which are played. The same seed chooses the same cells in the same order. Of
// cells that cover as many pairs the one that takes less real time is chosen.
//
// Flow: Judge reads the directory of a cell (facts.json of the nemesis, the run
// directories run and fresh, and what slurmlab printed) and lists the invariants that
// are broken. It knows no fault but by its facts, and reads sacct.txt and the daemons' logs
// itself. That it is a package keeps it from the code of the nemesis, which is in the
// command: a mistake of the one cannot hide in the other.
//
// The invariants, by the numbers of issue 16:
//
//  1. The run ends within a bound of real time after the fault.
//  2. Complete means that each job of the workload has one row in sacct.txt, and no
//     other job has one.
//  3. No job is started twice in effect: neither twice by one slurmctld, nor again after
//     its end, nor run twice by slurmd, nor with two runs in sacct.txt, nor seen to start
//     twice by the agent.
//  4. At no instant do the jobs on the machine, or on a node, hold more cores or GPUs
//     than there are.
//  5. A run in which a job ended otherwise, or ran for another time, than its workload
//     says is not complete, or warns.
//  6. A run has metrics only if it is complete, and they can be rebuilt byte for byte.
//  7. The reason why a run is not complete names what was broken, and what became of it,
//     in slurmlab's own words.
//  8. Nothing is left over: containers, locks of cores, temporary files, processes.
//  9. A fresh run afterwards is complete, without any cleaning by hand.
//  10. A harmless fault leaves the run complete, and the run says that there was one.
//     Unheard lists the cells in which nobody can.
//
// Invariants: the package writes nothing. A required file that is missing or unreadable is also a broken invariant.
package check
