package auctiontest

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// DescribeBids writes bids one a line under their jobs' IDs, numbered like the
// columns of the program that auction.Formulate makes of them.
func DescribeBids(s auction.Snapshot, bids []bidding.Bid) string {
	var out strings.Builder
	for i, b := range bids {
		fmt.Fprintf(&out, "b%d job %d %v\n", i, s.Jobs[b.Job].ID, b)
	}
	return out.String()
}

// Describe writes what an auction decided: winners in release order, deferred winners
// with their reasons, and the size of the program.
func Describe(s auction.Snapshot, r auction.Result) string {
	var out strings.Builder
	for _, b := range r.Ordered {
		fmt.Fprintf(&out, "start job %d %v\n", s.Jobs[b.Job].ID, b)
	}
	for _, d := range r.Deferred {
		fmt.Fprintf(&out, "defer job %d: %s\n", s.Jobs[d.Bid.Job].ID, d.Reason)
	}
	fmt.Fprintf(&out, "%d bids, %d dropped, %d rows, %d nonzeros\n", len(r.Bids), r.Dropped, len(r.Problem.Rows), r.Problem.NonZeros())
	fmt.Fprintf(&out, "%s objective %.6g bound %.6g\n", r.Assignment.Status, r.Assignment.Objective, r.Assignment.Bound)
	return out.String()
}
