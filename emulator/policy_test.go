package emulator

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
)

// TestPolicies: the file is valid, and the papers' settings are those that the
// papers name.
func TestPolicies(t *testing.T) {
	all, err := Policies()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.About == "" || d.Source == "" {
			t.Errorf("%s: about %q, source %q, want both", d.Name, d.About, d.Source)
		}
	}
	settings := func(name string, change func(*Parameters)) {
		t.Helper()
		d, err := FindPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		want := DefaultParameters()
		change(&want)
		if d.Parameters != want {
			t.Errorf("%s: %+v, want %+v", name, d.Parameters, want)
		}
	}
	settings("auction", func(*Parameters) {})
	// "by default this is set to 200" (section IV), "our scheduling interval was 4
	// seconds" (section VII), "IP solution time is 4 seconds" (slides).
	settings("ipsched", func(p *Parameters) {
		p.Method, p.Objective, p.Window, p.Shrink = MethodIPSCHED, auction.ObjectivePriority, 200, agent.ShrinkWindow
		p.Interval, p.SolveLimit, p.MaxBypass = 4*time.Second, 4*time.Second, 0
	})
	// "MAXBIDSPERJOB parameter was taken as 5 [...] a time limit of 5 seconds was
	// used. Also in these tests SLURM bids were generated" (AUCSCHED section 6.2).
	first := func(p *Parameters) {
		p.Method, p.Objective, p.Window, p.Shrink = MethodAUCSCHED, auction.ObjectivePriority, 100, agent.ShrinkBids
		p.MaxBidsPerJob, p.MaxBids, p.RemainderBids, p.MaxBypass = 5, 500, false, 0
	}
	settings("auction1", first)
	// "largest keyword stands for a test with MAXBIDSPERJOB parameter set as 15,
	// longsolve stands for using CPLEX solution time of 10 seconds, shortsolve
	// stands for a CPLEX solution time of 3 seconds" (AUCSCHED section 6.2).
	settings("auction1-10s-15b-noslurm", func(p *Parameters) {
		first(p)
		p.MaxBidsPerJob, p.MaxBids, p.SlurmBids, p.SolveLimit = 15, 1500, false, 10*time.Second
	})
	settings("auction1-3s-15b-noslurm", func(p *Parameters) {
		first(p)
		p.MaxBidsPerJob, p.MaxBids, p.SlurmBids, p.SolveLimit = 15, 1500, false, 3*time.Second
	})
	settings("auction1-5s-5b-noslurm-blocks", func(p *Parameters) {
		first(p)
		p.SlurmBids, p.OnlyBlocks = false, true
	})
}

// TestPolicyNames: the parts of a name are its settings.
func TestPolicyNames(t *testing.T) {
	all, err := Policies()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, d := range all {
		p := d.Parameters
		if !d.Name.HasAgent() {
			continue
		}
		for _, part := range strings.Split(string(d.Name), "-")[1:] {
			named++
			switch {
			case part == "cores":
				if p.Objective != ObjectivePriorityCores {
					t.Errorf("%s has objective %s", d.Name, p.Objective)
				}
			case part == "multifactor": // below
			case part == "noslurm":
				if p.SlurmBids {
					t.Errorf("%s has SLURM bids", d.Name)
				}
			case part == "blocks":
				if !p.OnlyBlocks {
					t.Errorf("%s bids for more than blocks", d.Name)
				}
			case part != p.SolveLimit.String() && part != strconv.Itoa(p.MaxBidsPerJob)+"b":
				t.Errorf("%s has a limit of %v and %d bids per job", d.Name, p.SolveLimit, p.MaxBidsPerJob)
			}
		}
		if strings.Contains(string(d.Name), "multifactor") != (d.Priority == priority.Multifactor) {
			t.Errorf("%s has priority %s", d.Name, d.Priority)
		}
		if strings.Contains(string(d.Name), "noslurm") == p.SlurmBids || strings.Contains(string(d.Name), "blocks") != p.OnlyBlocks {
			t.Errorf("%s has SLURM bids: %v, only blocks: %v", d.Name, p.SlurmBids, p.OnlyBlocks)
		}
	}
	if named < 20 {
		t.Errorf("only %d parts of names were checked", named)
	}
}

func TestBadPolicies(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"- name: a\n- name: a\n", `"a" is there twice`},
		{"- about: nobody\n", "has no name"},
		{"- name: fifo\n  parameters: {window: 7}\n", "fifo: like and parameters are the agent's, and it has none"},
		{"- name: a\n- name: backfill\n  like: a\n", "backfill: like and parameters are the agent's"},
		{"- name: a\n  like: b\n", `a is like b: policy: "b" is not known`},
		{"- name: a\n  colour: red\n", `unknown field "colour"`},
		{"- name: a\n  parameters: {colour: red}\n", `unknown field "colour"`},
		{"- name: a\n  priority: age\n", `a: priority: "age" is not allowed, want basic or multifactor`},
		{"- name: fifo\n  priority: age\n", `fifo: priority: "age" is not allowed`},
		{
			"- name: a\n  priority: multifactor\n- name: b\n  like: a\n  parameters: {fair_share: 1h}\n",
			"b: fair-share: 1h0m0s is not allowed with priority multifactor",
		},
		{"- name: a\n  parameters: {window: 0}\n", "a: window: 0 is not allowed"},
		{"- name: a\n  parameters: {solve_limit: soon}\n", `a: time: invalid duration "soon"`},
		{"- name: a\n  parameters: {method: ipsched}\n", `objective: "value" is not allowed, want priority or priority-cores`},
		{"- name: a\n  parameters: {method: ipsched, objective: priority, shrink: bids}\n", `shrink: "bids" is not allowed, want nothing or window`},
		{"- name: a\n  parameters: {method: aucsched}\n", `objective: "value" is not allowed, want priority`},
	} {
		if _, err := parsePolicies([]byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		}
	}
	if _, err := FindPolicy("fcfs"); err == nil || !strings.Contains(err.Error(), `policy: "fcfs" is not known, allowed are fifo, backfill-default, backfill, backfill-multifactor, auction, ipsched`) {
		t.Error(err)
	}
}
