package policy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func TestParametersAreChecked(t *testing.T) {
	if err := policy.DefaultParameters().Validate(); err != nil {
		t.Error(err)
	}
	err := policy.Parameters{}.Validate()
	for _, name := range []string{"interval", "solve_limit", "window", "max_bids_per_job", "max_bids"} {
		if err == nil || !strings.Contains(err.Error(), name+": 0") {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
	if err == nil || !strings.Contains(err.Error(), `cycles: ""`) {
		t.Errorf("error %v does not name cycles", err)
	}
	p := policy.DefaultParameters()
	for _, wrong := range []time.Duration{-time.Hour, time.Second, 9000 * time.Hour} {
		p.FairShare = wrong
		if err = p.Validate(); err == nil || !strings.Contains(err.Error(), "fair_share: "+wrong.String()+" is not allowed, want 1m to 8760h") {
			t.Errorf("error %v does not name fair_share", err)
		}
	}
	p = policy.DefaultParameters()
	p.Method, p.Objective = policy.MethodAUCSCHED, auction.ObjectivePriority
	if err = p.Validate(); err == nil || !strings.Contains(err.Error(), "max_bypass: 2 is not allowed, want 0: aucsched has no reservations") {
		t.Errorf("error %v does not name max_bypass", err)
	}
	p = policy.DefaultParameters()
	p.Reading = auction.ReadLiteral
	if err = p.Validate(); err == nil || !strings.Contains(err.Error(), "priorities: literal is not allowed with the objective adaptive, want ranks: it has no priorities") {
		t.Errorf("error %v does not name priorities", err)
	}
	p.Method, p.Objective, p.MaxBypass, p.Reading = policy.MethodIPSCHED, policy.ObjectivePriorityCores, 0, auction.ReadSize
	if err = p.Validate(); err == nil || !strings.Contains(err.Error(), "priorities: size is not allowed with the objective priority-cores, want literal or ranks") {
		t.Errorf("error %v does not name priorities", err)
	}
}

// TestRecordsWithoutPriorities: a run that was recorded before there was the parameter had ranks, and a run with ranks
// has the same record as before.
func TestRecordsWithoutPriorities(t *testing.T) {
	var p policy.Parameters
	if err := json.Unmarshal([]byte(`{"method":"aucsched"}`), &p); err != nil || p.Reading != auction.ReadRanks {
		t.Errorf("priorities %q, %v, want ranks", p.Reading, err)
	}
	for reading, named := range map[auction.Reading]bool{auction.ReadRanks: false, auction.ReadLiteral: true, auction.ReadSize: true} {
		p.Reading = reading
		text, err := json.Marshal(p)
		var back policy.Parameters
		if err != nil || strings.Contains(string(text), `"priorities":"`+string(reading)+`"`) != named {
			t.Errorf("%s: %s, %v", reading, text, err)
		}
		if err = json.Unmarshal(text, &back); err != nil || back.Reading != reading {
			t.Errorf("%s: read back as %q, %v", reading, back.Reading, err)
		}
	}
}

// TestPoliciesInJSON: the agent of a kept cluster has its policy in JSON, with the parameters that the policy's program reads.
func TestPoliciesInJSON(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back policy.Policy
		if err = json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != string(text) {
			t.Errorf("policy %s is read back as %s, %v, want %s", p.Name, again, err, text)
		}
		if back.HasAgent() && back.Validate() != nil {
			t.Errorf("policy %s is read back with faults: %v", p.Name, back.Validate())
		}
	}
}

// TestRunKeys: the parameters of a run are recorded under the same keys, in the same
// order, as in every run before, and are read back.
func TestRunKeys(t *testing.T) {
	const want = `{"method":"auction","interval_ns":5000000000,"cycles":"prompt","solve_limit_ns":5000000000,"window":500,` +
		`"objective":"adaptive","max_bypass":2,"max_bids_per_job":15,"max_bids":7500,"slurm_bids":true,"remainder_bids":true,` +
		`"only_blocks":false,"shrink":"nothing"`
	p := policy.DefaultParameters()
	if got, err := json.Marshal(p); err != nil || string(got) != want+"}" {
		t.Errorf("%s, %v, want %s}", got, err, want)
	}
	p.FairShare, p.DumpModels = time.Hour, true
	text, err := json.Marshal(p)
	if err != nil || string(text) != want+`,"fair_share_half_life_ns":3600000000000,"dump_models":true}` {
		t.Errorf("%s, %v", text, err)
	}
	var back policy.Parameters
	if err := json.Unmarshal(text, &back); err != nil || back != p {
		t.Errorf("%+v, %v, want %+v", back, err, p)
	}
}

// The papers say what their bids are worth (AUCSCHED equation (12)), so that nothing else may.
func TestFewestNodesHaveNoPaperBids(t *testing.T) {
	p, err := policy.Find("auction2")
	if err != nil {
		t.Fatal(err)
	}
	p.Parameters.FewestNodes = true
	const want = "fewest_nodes: true is not allowed with paper_bids, want false"
	if err = p.Parameters.Validate(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
