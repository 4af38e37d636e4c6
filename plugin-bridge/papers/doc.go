// Package papers schedules by the integer programs of the papers as they are
// written there, where package auction is the scheduler that grew out of them.
//
//	Snapshot --------> IPSCHED's program   (equations (1) to (6)), any cores on any nodes
//	Snapshot, bids --> AUCSCHED's program  (equations (1) to (10)), any cores on a bid's nodes
//	Snapshot, bids --> AUCSCHED2's program (equations (1) to (4)), the cores of the bid
//
//	program --Solve--> values --decode--> allocations, which the program chose
//	        --realise--> bids that Slurm can be asked for, in release order
//
// IPSCHED and AUCSCHED are a [Decider] each. AUCSCHED2 is what package auction
// solves; here it is only written in general form, so that other solvers can read
// it. The result of a decider is an auction.Result, so that the agent releases and
// records all policies alike; its Problem and Bids are empty.
//
// # Names in the programs
//
// Each row is named after its equation: "(3)_n17" is equation (3) for node n17,
// "(7)_5_n17" equation (7) for job 5 and node n17. Variables have the letters of
// the papers: s_5, c_5, x_5_n17, t_5_n17 and b_5_0 (the first bid of job 5),
// u_5_n17, r_5_n17.
//
// # Where the programs differ from the papers' text
//
// Read to the letter, three equations do not say what their papers mean:
//
//   - AUCSCHED (3) is sum_{n in N_c} u_jn = b_jc R_jc^node for every bid c of the
//     job. A bid that lost makes that sum 0, and with it u_jn on each node that
//     it shares with a bid that could win: no bid can win that overlaps another
//     bid of its job. Here: sum_{n in N_c} u_jn >= b_jc R_jc^node for each
//     bid, and over all nodes of the job sum_n u_jn = sum_c b_jc R_jc^node.
//   - IPSCHED (5) is N_min,j <= 2N c_j <= N_max,j for every job, selected or not,
//     with N_min,j = 1 where nothing was asked for. By (2) and (6) a job has
//     nodes only if it is selected: unless all jobs of the window can start,
//     there is no solution. Here both limits are multiplied by s_j.
//   - P_j and p_j are Slurm's priorities. Those of priority/basic start near 2^32
//     and fall by one, so that two jobs differ by less than any solver's
//     tolerances. An auction.Reading says what takes their place. With literal
//     ones a program is solved in stages; see model.stages. Those of
//     priority/multifactor stay as they are, and alpha is the one of auction.Alpha.
//
// Two texts are read as they must be meant. The sum of AUCSCHED (4) takes each node once, though it could be one of
// several bids. (7) is written for the nodes of the job's bids only, since u and r of all others would take cores for
// nothing.
//
// IPSCHED knows no cores per node. A job that asks for them gets a row
// x_ij = R_j^cpn t_ij, named (8) after the equation of AUCSCHED. That a job's
// nodes must be one block is in no program: AUCSCHED has it in its bids, and
// IPSCHED cannot grant it; realise looks for a block.
//
// # How Slurm is asked for what a program chose
//
// IPSCHED's program gives a job any cores on any nodes, AUCSCHED's any cores on the nodes of a bid. Slurm takes cores
// on a list of nodes by a rule of its own ([machine.Place]). So a layout can be had only if some request gives it
// with the cores that are free at that moment. Many solutions of a program are worth the same, however. The objective
// of AUCSCHED depends on which bids win, IPSCHED's on which jobs start and on how many nodes. Realise looks, job by
// job, for a solution of the same worth that Slurm can be asked for. It tries in this order:
//
//  1. the cores as the program has them;
//  2. other cores on the same nodes;
//  3. as many other nodes, where the program does not care which (IPSCHED);
//  4. cores that are right only while no running job ends, as class R.
//
// In steps 1, 2 and 4 it leaves the other jobs what the program gave them. If none of the remaining jobs can be
// placed so, one of them is deferred, with the reason. What the program gave it is open to the others; see the method
// cheapest for which.
//
// The winners of AUCSCHED2's program have cores of their own, T_in. [Arrange] does the same for the winners that
// might get other cores from Slurm.
//
// # What the papers leave open
//
//   - IPSCHED starts nothing when the solution takes too long: "If the time limit
//     is exceeded, in that scheduling interval, none of the jobs are started"
//     (section IV); with Options.StartLate it starts the best that is known, as
//     AUCSCHED does always.
//   - Options.Start gives AUCSCHED's solver a point to begin with, which is ours.
//   - What a deferred job would have taken is offered to the others in a second
//     program, and so on, while there is time; the papers' plug-ins could give
//     Slurm any layout.
//   - GPU ranges and alternatives are AUCSCHED2's and ours, ranges of nodes
//     IPSCHED's. What a program has no choice of is settled before, see
//     bidding.Choices.
//
// # Invariants
//
// No I/O and no clock of its own. Equal snapshots have equal decisions as far as
// the solver has equal answers.
//
// What decode returns is checked against the snapshot, not against the program:
// no node is oversold, and each job has what it asked for, or decode fails.
//
// Played through in their order the bids of realise oversell no node, and the
// placement rule gives each exactly its cores; all but those of class R whatever
// running jobs end meanwhile. A job gets the cores, nodes and GPUs of its
// allocation in number, one block where it asks for that, or is deferred.
package papers
