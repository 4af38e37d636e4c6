// Package formulation writes the integer programs of the three papers for a
// snapshot, and reads their solutions:
//
//	Snapshot ------> IPSCHED   (equations (1) to (6)), cores chosen freely
//	Snapshot, bids > AUCSCHED  (equations (1) to (10)), cores chosen on a bid's nodes
//	Snapshot, bids > AUCSCHED2 (equations (1) to (4)), cores given by the bid
//	                 Model.Program --a solver--> values --Model.Decode--> []Allocation
//
// Each row is named after its equation: "(3)_n17" is equation (3) for node n17,
// "(7)_5_n17" equation (7) for job 5 and node n17. Variables have the letters of
// the papers: s_5, c_5, x_5_n17, t_5_n17 and b_5_0 (the first bid of job 5),
// u_5_n17, r_5_n17.
//
// # Literal and repaired forms
//
// Read to the letter, the programs do not say what their papers mean. The
// repaired form is the default, the literal one is kept for comparison:
//
//   - AUCSCHED (3) is sum_{n in N_c} u_jn = b_jc R_jc^node for every bid c of the
//     job. A bid that lost makes that sum 0, and with it u_jn on each node that
//     it shares with a bid that could win: no bid can win that overlaps another
//     bid of its job. Repaired: sum_{n in N_c} u_jn >= b_jc R_jc^node for each
//     bid, and over all nodes of the job sum_n u_jn = sum_c b_jc R_jc^node.
//   - IPSCHED (5) is N_min,j <= 2N c_j <= N_max,j for every job, selected or not,
//     with N_min,j = 1 where nothing was asked for. By (2) and (6) a job has
//     nodes only if it is selected: unless all jobs of the window can start,
//     there is no solution. Repaired: both limits are multiplied by s_j.
//   - P_j and p_j are Slurm's priorities. Its basic ones start near 2^32 and fall
//     by one, so that two jobs differ by less than any solver's tolerances.
//     Repaired: ranks, see auction.Ranks; those of priority/multifactor stay as
//     they are, and alpha is the one of auction.Alpha.
//
// Two texts are read as they must be meant in both forms: the sum of AUCSCHED
// (4) takes each node once, though it could be one of several bids; and (7) is
// written for the nodes of the job's bids only, since u and r of all others
// would take cores for nothing.
//
// # Additions
//
// IPSCHED knows no cores per node. A job that asks for them gets a row
// x_ij = R_j^cpn t_ij, named (8) after the equation of AUCSCHED. That a job's
// nodes must be one block is in no program: AUCSCHED has it in its bids, and
// IPSCHED cannot grant it.
//
// # Invariants
//
// What Decode returns is checked against the snapshot, not against the program:
// no node is oversold, and each job has what it asked for, or Decode fails.
package formulation
