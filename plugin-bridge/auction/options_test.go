package auction_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// TestOptionsOfOldRuns: options are read as earlier versions wrote them into the
// snapshots of a run, with NoSlurmBids and NoRemainders, and are written under the
// same keys.
func TestOptionsOfOldRuns(t *testing.T) {
	former := auction.FormerRule()
	const rule = `"Rule":{"Alike":{"Share":1.5,"Limit":0.4,"Wait":0,"Wide":5,"CommonLimit":true},"Apart":{"Share":1,"Limit":1,"Wait":1,"Wide":3}}`
	for _, tt := range []struct {
		old, now string
		want     auction.Options
	}{
		{
			`{"MaxBidsPerJob":15,"MaxBids":7500,"Objective":"value","UnstableRemainders":false,"NoSlurmBids":false,"NoRemainders":false,"OnlyBlocks":false}`,
			`{"MaxBidsPerJob":15,"MaxBids":7500,"Objective":"value","NoSlurmBids":false,"NoRemainders":false,"OnlyBlocks":false,` + rule + `}`,
			auction.Options{Bids: bidding.BidOptions{MaxBidsPerJob: 15, MaxBids: 7500, SlurmBids: true, Remainders: true}, Objective: auction.ObjectiveValue, Rule: &former, ValueAlone: true},
		},
		{
			`{"MaxBidsPerJob":5,"MaxBids":500,"Objective":"priority","UnstableRemainders":false,"NoSlurmBids":true,"NoRemainders":true,"OnlyBlocks":true}`,
			`{"MaxBidsPerJob":5,"MaxBids":500,"Objective":"priority","NoSlurmBids":true,"NoRemainders":true,"OnlyBlocks":true}`,
			auction.Options{Bids: bidding.BidOptions{MaxBidsPerJob: 5, MaxBids: 500, OnlyBlocks: true}, Objective: auction.ObjectivePriority},
		},
		{
			`{"Objective":"priority","Papers":true}`,
			`{"MaxBidsPerJob":0,"MaxBids":0,"Objective":"priority","NoSlurmBids":false,"NoRemainders":false,"OnlyBlocks":false,"Papers":true}`,
			auction.Options{Bids: bidding.BidOptions{SlurmBids: true, Remainders: true, Papers: true}, Objective: auction.ObjectivePriority},
		},
	} {
		var got auction.Options
		if err := json.Unmarshal([]byte(tt.old), &got); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s is %+v, %v; want %+v", tt.old, got, err, tt.want)
		}
		if text, err := json.Marshal(tt.want); err != nil || string(text) != tt.now {
			t.Errorf("%+v is written as %s, %v; want %s", tt.want, text, err, tt.now)
		}
	}
	if err := json.Unmarshal([]byte(`{"MaxBids":"many"}`), new(auction.Options)); err == nil {
		t.Error("a limit that is no number is read")
	}
}

// TestRuleIsRecorded: a run records the rule that it was made by, the product's if it names
// none, so that a later version explains it by the values that it had.
func TestRuleIsRecorded(t *testing.T) {
	odd := auction.Rule{Alike: auction.Exponents{Share: 2}, Apart: auction.Exponents{Wait: 0.5}}
	standard := auction.DefaultRule()
	for _, tt := range []struct{ rule, want *auction.Rule }{{nil, &standard}, {&odd, &odd}} {
		text, err := json.Marshal(auction.Options{Objective: auction.ObjectiveAdaptive, Rule: tt.rule})
		if err != nil {
			t.Fatal(err)
		}
		var got auction.Options
		if err = json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got.Rule, tt.want) {
			t.Errorf("%s is read as %+v, %v", text, got.Rule, err)
		}
	}
}
