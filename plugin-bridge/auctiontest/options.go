package auctiontest

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// AllKinds returns the limits with bids of all kinds, as the policy auction has them.
func AllKinds(limits bidding.BidOptions) bidding.BidOptions {
	limits.SlurmBids, limits.Remainders = true, true
	return limits
}

// Options of an auction with bids of all kinds, by priority.
func Options() auction.Options { return auction.Options{Bids: AllKinds(bidding.BidOptions{})} }
