package auction

import (
	"encoding/json"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// Options are the parameters of an auction.
type Options struct {
	// Bids say how many bids there are at most, and of which kinds.
	Bids bidding.BidOptions
	// Objective is what is maximised; empty means ObjectivePriority.
	Objective Objective
	// Rule is how the objectives by value value a job; nil means [DefaultRule].
	Rule *Rule
	// ValueAlone has no whole-node reservations (Result.Whole), as runs whose records say nothing of them.
	ValueAlone bool
	// Arrange says how Slurm is asked for the winners, and which are deferred; nil means
	// [Order]. Those of [PaperBids] need more (papers.Arrange).
	Arrange func(Snapshot, []bidding.Bid) Arrangement
	// Clock reads a monotonic clock for Result.Phases; nil leaves them 0.
	Clock func() time.Duration
}

// rule is Rule, or the default one.
func (o Options) rule() Rule {
	if o.Rule == nil {
		return DefaultRule()
	}
	return *o.Rule
}

// recordedOptions are Options as runs record them. Two of the names deny what the
// fields of bidding.BidOptions say: they are older, and runs that were recorded with
// them can still be read.
type recordedOptions struct {
	MaxBidsPerJob, MaxBids                int
	Objective                             Objective
	NoSlurmBids, NoRemainders, OnlyBlocks bool
	Papers                                bool  `json:",omitempty"`
	FewestNodes                           bool  `json:",omitempty"`
	WholeNodes                            bool  `json:",omitempty"`
	Rule                                  *Rule `json:",omitempty"`
}

// MarshalJSON writes the options under the keys that recorded runs have, with the rule
// that an objective by value has. Functions are left out.
func (o Options) MarshalJSON() ([]byte, error) {
	b := o.Bids
	var rule *Rule
	if o.Objective.ByValue() {
		inForce := o.rule()
		rule = &inForce
	}
	return json.Marshal(recordedOptions{
		Rule:          rule,
		MaxBidsPerJob: b.MaxBidsPerJob, MaxBids: b.MaxBids, Objective: o.Objective,
		NoSlurmBids: !b.SlurmBids, NoRemainders: !b.Remainders, OnlyBlocks: b.OnlyBlocks, Papers: b.Papers, FewestNodes: b.FewestNodes,
		WholeNodes: o.Objective.ByValue() && !o.ValueAlone,
	})
}

// UnmarshalJSON reads what MarshalJSON of this and of earlier versions wrote.
func (o *Options) UnmarshalJSON(text []byte) error {
	var r recordedOptions
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	o.Objective, o.Rule = r.Objective, r.Rule
	o.ValueAlone = o.Objective.ByValue() && !r.WholeNodes
	if o.Rule == nil && o.Objective.ByValue() {
		former := FormerRule()
		o.Rule = &former
	}
	o.Bids = bidding.BidOptions{
		MaxBidsPerJob: r.MaxBidsPerJob, MaxBids: r.MaxBids,
		SlurmBids: !r.NoSlurmBids, Remainders: !r.NoRemainders, OnlyBlocks: r.OnlyBlocks, Papers: r.Papers, FewestNodes: r.FewestNodes,
	}
	return nil
}
