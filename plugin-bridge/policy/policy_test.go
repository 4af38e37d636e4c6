package policy_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// TestPolicies: the file is valid, and the papers' settings are those that the
// papers name.
func TestPolicies(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.About == "" || d.Source == "" {
			t.Errorf("%s: about %q, source %q, want both", d.Name, d.About, d.Source)
		}
	}
	settings := func(name string, change func(*policy.Parameters)) {
		t.Helper()
		d, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		want := policy.DefaultParameters()
		change(&want)
		if d.Parameters != want {
			t.Errorf("%s: %+v, want %+v", name, d.Parameters, want)
		}
	}
	settings("auction", func(*policy.Parameters) {})
	// "Even if the queue is empty and the nodes are idle, a submitted job will wait a certain number of seconds" (IPSCHED section IV).
	// "by default this is set to 200" (section IV), "our scheduling interval was 4
	// seconds" (section VII), "IP solution time is 4 seconds" (slides).
	settings("ipsched", func(p *policy.Parameters) {
		p.Method, p.Objective, p.Window, p.Shrink = policy.MethodIPSCHED, auction.ObjectivePriority, 200, agent.ShrinkWindow
		p.Interval, p.SolveLimit, p.MaxBypass, p.Cycles = 4*time.Second, 4*time.Second, 0, policy.CyclesChanged
		// The reading that is nearest to the paper's tables: docs/design/012.
		p.Reading = auction.ReadLiteral
	})
	// "MAXBIDSPERJOB parameter was taken as 5 [...] a time limit of 5 seconds was
	// used. Also in these tests SLURM bids were generated" (AUCSCHED section 6.2).
	first := func(p *policy.Parameters) {
		p.Method, p.Objective, p.Window, p.Shrink = policy.MethodAUCSCHED, auction.ObjectivePriority, 100, agent.ShrinkBids
		p.MaxBidsPerJob, p.MaxBids, p.RemainderBids, p.MaxBypass = 5, 600, false, 0
		p.PaperBids, p.Cycles = true, policy.CyclesChanged
	}
	settings("auction1", first)
	// "largest keyword stands for a test with MAXBIDSPERJOB parameter set as 15, longsolve stands for using CPLEX
	// solution time of 10 seconds, shortsolve stands for a CPLEX solution time of 3 seconds" (AUCSCHED section 6.2).
	settings("auction1-10s-15b-noslurm", func(p *policy.Parameters) {
		first(p)
		p.MaxBidsPerJob, p.MaxBids, p.SlurmBids, p.SolveLimit = 15, 1500, false, 10*time.Second
	})
	settings("auction1-3s-15b-noslurm", func(p *policy.Parameters) {
		first(p)
		p.MaxBidsPerJob, p.MaxBids, p.SlurmBids, p.SolveLimit = 15, 1500, false, 3*time.Second
	})
	settings("auction1-5s-5b-noslurm-blocks", func(p *policy.Parameters) {
		first(p)
		p.MaxBids, p.SlurmBids, p.OnlyBlocks = 500, false, true
	})
}

// TestPolicyNames: the parts of a name are its settings.
func TestPolicyNames(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, d := range all {
		p := d.Parameters
		// The name of a formula says what it is called.
		if !d.HasAgent() || p.Method == policy.MethodFormula {
			continue
		}
		for _, part := range strings.Split(d.Name, "-")[1:] {
			named++
			switch {
			case part == "cores":
				if p.Objective != policy.ObjectivePriorityCores {
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
		// AUCSCHED names a limit per job alone, beside which SLURM bids come "in addition";
		// the last policy has the limits of the published plug-in.
		perJob := p.MaxBidsPerJob
		if p.SlurmBids {
			perJob++
		}
		if p.PaperBids && d.Name != "auction2-5s-500b" && p.MaxBids != p.Window*perJob {
			t.Errorf("%s has at most %d bids, want %d for each of %d jobs", d.Name, p.MaxBids, perJob, p.Window)
		}
		if strings.Contains(d.Name, "multifactor") != (d.Priority == priority.Multifactor) {
			t.Errorf("%s has priority %s", d.Name, d.Priority)
		}
		if strings.Contains(d.Name, "noslurm") == p.SlurmBids || strings.Contains(d.Name, "blocks") != p.OnlyBlocks {
			t.Errorf("%s has SLURM bids: %v, only blocks: %v", d.Name, p.SlurmBids, p.OnlyBlocks)
		}
	}
	if named < 20 {
		t.Errorf("only %d parts of names were checked", named)
	}
}

func TestBadPolicies(t *testing.T) {
	const ours = "- name: a\n  scheduler: {type: sched/builtin, external: true}\n"
	const slurms = "- name: a\n  scheduler: {type: sched/backfill}\n"
	for _, tt := range []struct{ file, want string }{
		{ours + "- name: a\n", `:3: policy a: name: "a" is there already, want another one`},
		{"- about: nobody\n", `:1: policy : name: "" is not allowed`},
		{"- name: a\n", `a: scheduler: type "" is not allowed, want sched/builtin or sched/backfill`},
		{"- name: a\n  scheduler: {type: sched/backfill, external: true}\n", "a: scheduler: sched/backfill is not allowed with method auction, want sched/backfill with method formula and sched/builtin with the others"},
		{"- name: a\n  scheduler: {type: sched/backfill, parameters: bf_continue bf_interval=30}\n", `a: scheduler: parameters "bf_continue bf_interval=30" are not allowed`},
		{"- name: a\n  scheduler: {kind: fifo}\n", `unknown field "kind"`},
		{slurms + "  parameters: {window: 7}\n", "a: parameters: want none, they belong to the agent"},
		{slurms + "- name: b\n  like: a\n  parameters: {window: 7}\n", "b: parameters: want none"},
		{"- name: a\n  like: b\n", `a: like: policy: "b" is not known`},
		{"- name: a\n  colour: red\n", `unknown field "colour"`},
		{ours + "  parameters: {colour: red}\n", `a: parameters: unknown field "colour"`},
		{ours + "  parameters: {solv_limit: 3s}\n", `a: parameters: unknown field "solv_limit"; did you mean "solve_limit"?`},
		{ours + "  parameters: {dump_models: maybe}\n", `a: parameters: dump_models: "maybe" is not allowed, want true or false`},
		{ours + "  priority: age\n", `a: priority: "age" is not allowed, want basic, multifactor or size-by-time`},
		{slurms + "  priority: age\n", `a: priority: "age" is not allowed`},
		{ours + "  priority: size-by-time\n", "a: priority: size-by-time is not allowed with an agent, want basic or multifactor"},
		{
			ours + "  priority: multifactor\n- name: b\n  like: a\n  parameters: {fair_share: 1h}\n",
			"b: fair_share: 1h0m0s is not allowed with priority multifactor",
		},
		{ours + "  parameters: {window: 0}\n", "a: window: 0 is not allowed, want 1 to 10000"},
		{ours + "  parameters: {window: many}\n", "a: parameters: window:"},
		{ours + "  parameters: {solve_limit: soon}\n", `a: parameters: solve_limit: "soon" is not allowed, want 1s to 1h`},
		{ours + "  parameters: {method: ipsched}\n", `objective: "adaptive" is not allowed, want priority or priority-cores`},
		{ours + "  parameters: {method: ipsched, objective: priority, shrink: bids}\n", `shrink: "bids" is not allowed, want nothing or window`},
		{ours + "  priority: multi\n" + "- name: b\n  like: c\n", "my.yaml:4: policy b: like:"},
		{"- &e {name: a}\n- *e\n", "my.yaml:1: anchor: a list or mapping is not allowed"},
		{"- name: a\n  like: [b\n", "my.yaml:2: parse YAML:"},
		{"name: a\n", "my.yaml:1: document: want a list of policies"},
		{"", "my.yaml:1: document: want a list of policies"},
		{"- name: ../a\n", `name: "../a" is not allowed, want 1 to 120 letters`},
		{"- [1]\n", "my.yaml:1: "},
		{ours + "  parameters: {method: aucsched}\n", `objective: "adaptive" is not allowed, want priority`},
	} {
		if _, err := policy.Policies(nil).With("my.yaml", []byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		}
	}
	if _, err := policy.Find("fcfs"); err == nil || !strings.Contains(err.Error(), `policy: "fcfs" is not known; did you mean "fifo"? all are listed by: slurmlab policy list`) {
		t.Error(err)
	}
	if _, err := policy.Find("xyzzy"); err == nil || !strings.Contains(err.Error(), `policy: "xyzzy" is not known; the 30 that are known are listed by: slurmlab policy list`) {
		t.Error(err)
	}
}

// A file of a program without its prefix gets it.
func TestProgramWithoutPrefix(t *testing.T) {
	if _, err := policy.Find("saf.py"); err == nil || !strings.HasSuffix(err.Error(), "; a program of yours is named with exec:saf.py") {
		t.Error(err)
	}
}

// TestFirstChange: the entry that CONTRIBUTING.md has newcomers add is a policy, and does what the page says.
func TestFirstChange(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, entry, _ := strings.Cut(string(page), "```yaml\n")
	entry, _, _ = strings.Cut(entry, "```")
	// Under another name, as a reader has just added this one.
	entry = strings.Replace(entry, "name: backfill-easy\n", "name: backfill-of-the-page\n", 1)
	ours, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	all, err := ours.With("CONTRIBUTING.md", []byte(entry))
	if err != nil {
		t.Fatal(err)
	}
	base, err := policy.Find(policy.WholeQueue)
	if err != nil {
		t.Fatal(err)
	}
	got, want := all[len(all)-1].Scheduler.Parameters, base.Scheduler.Parameters+",bf_job_part_count_reserve=1"
	if got != want {
		t.Errorf("parameters %q, want %q", got, want)
	}
}

// TestPolicyOfSlurmsOwn: a policy of Slurm's own is one entry of policies.yaml, whose
// words are in slurm.conf of a cluster that is booted for it.
func TestPolicyOfSlurmsOwn(t *testing.T) {
	ours, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	all, err := ours.With("mine.yaml", []byte(`
- name: backfill-quick
  about: sched/backfill that starts afresh every five seconds
  source: slurm.conf(5), bf_interval
  scheduler: {type: sched/backfill, parameters: "bf_interval=5,bf_max_job_test=50"}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := all[len(all)-1]
	files, err := conf.Files(conf.Spec{
		Nodes: 2, Cores: 8, Scheduler: p.Scheduler, Priority: p.Priority, Clock: clock.Settings{Kind: clock.KindReal},
	}, conf.Nodes{}, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.Name] = string(f.Data)
	}
	for _, want := range []string{
		"\nSchedulerType=sched/backfill\n", "\nSchedulerParameters=bf_interval=5,bf_max_job_test=50\n", "\nPriorityType=priority/basic\n",
	} {
		if !strings.Contains(text["slurm.conf"], want) {
			t.Errorf("slurm.conf lacks %q", want)
		}
	}
	held, err := conf.Files(conf.Spec{
		Nodes: 2, Cores: 8, Scheduler: conf.Scheduler{Type: conf.Builtin, External: true}, Priority: p.Priority, Clock: clock.Settings{Kind: clock.KindReal},
	}, conf.Nodes{}, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range held {
		if f.Name == "job_submit.lua" && text[f.Name] == string(f.Data) {
			t.Error("jobs are held, and nobody would release them")
		}
	}
	if p.HasAgent() {
		t.Error("it has an agent")
	}
}
