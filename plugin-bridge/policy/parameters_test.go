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
	for _, name := range []string{"interval", "solve-limit", "window", "max-bids-per-job", "max-bids"} {
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
		if err = p.Validate(); err == nil || !strings.Contains(err.Error(), "fair-share: "+wrong.String()+" is not allowed, want 1m to 8760h") {
			t.Errorf("error %v does not name fair-share", err)
		}
	}
	p = policy.DefaultParameters()
	p.Method, p.Objective = policy.MethodAUCSCHED, auction.ObjectivePriority
	if err = p.Validate(); err == nil || !strings.Contains(err.Error(), "max-bypass: 2 is not allowed, want 0: aucsched has no reservations") {
		t.Errorf("error %v does not name max-bypass", err)
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
