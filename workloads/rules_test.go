package workloads

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

const ruledText = `groups:
  - {name: thin, count: 4, cores: 8, memory: 16000MiB}
  - {name: fat, count: 2, cores: 8, memory: 16000MiB, gpus: {a100: 4}}
qos:
  - {name: debug, priority: 1000, limits: {MaxJobsPerUser: 1, MaxWall: 30m, MaxTRESPerJob: {cpu: 8}}}
  - {name: long, usage_factor: 0.5, flags: [DenyOnLimit], limits: {GrpTRES: {cpu: 12, mem: 8G, gres/gpu: 2}}}
accounts:
  - {name: physics, shares: 10, limits: {GrpTRES: {node: 3}}, users: [{name: anna, shares: 2, usage: 5000, limits: {MaxJobs: 2}}]}
  - {name: astro, parent: physics, qos: [debug, long], default_qos: long, users: [{name: anna}, {name: bob}]}
licenses: {matlab: 2, ansys: 1}
priority_weights: {qos: 1000, fairshare: 500}
reservations:
  - {name: cooling, nodes: "n[1-2]", start: 1h, duration: 2h, flags: [MAINT]}
  - {name: course, nodes: fat, duration: 90m, users: [anna], accounts: [astro]}
  - {name: any, count: 2, start: 4h, duration: 30m, accounts: [physics]}
`

func ruledMachine(t *testing.T) Machine {
	t.Helper()
	m, err := ParseMachine("ruled.yaml", []byte(ruledText))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The commands are those of sacctmgr(1) and scontrol(1), in an order in which each names what is there.
func TestRules(t *testing.T) {
	m := ruledMachine(t)
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again Machine
	if err := json.Unmarshal(data, &again); err != nil || !again.Equal(m) {
		t.Errorf("JSON gives %+v, %v", again, err)
	}
	var lines []string
	for _, argv := range m.Layout.Sacctmgr() {
		lines = append(lines, strings.Join(argv[2:], " "))
	}
	want := `add qos debug
modify qos where name=debug set priority=1000 MaxTRESPerJob=cpu=8 MaxJobsPerUser=1 MaxWall=30
add qos long
modify qos where name=long set UsageFactor=0.5 flags=DenyOnLimit GrpTRES=cpu=12,gres/gpu=2,mem=8192
modify account root set qos=normal,debug,long
add account physics fairshare=10 GrpTRES=node=3
add user anna account=physics fairshare=2 MaxJobs=2
add account astro parent=physics qos=debug,long defaultqos=long
add user anna,bob account=astro`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(m.Layout.Users(), " "); got != "anna bob" {
		t.Errorf("users %s", got)
	}
	if got := m.Layout.Reservations[1]; got.Nodes != "n[5-6]" || got.Size() != 2 || got.End() != 5400 {
		t.Errorf("got %+v", got)
	}
}

// Each nonsense is a fault with its line.
func TestBadRules(t *testing.T) {
	_, err := ParseMachine("m.yaml", []byte(`groups:
  - {name: thin, count: 4, cores: 8}
qos:
  - name: debug
    priority: -1
    flags: [Fast]
    limits: {MaxSubmitJobsPerUser: 4, MaxJobsPerUser: -2, MaxWall: soon, GrpTRES: {cpu: -4, tea: 1, mem: 4000}}
    preempt: [normal]
  - name: Debug
  - name: debug
accounts:
  - {name: astro, parent: physics}
  - {name: physics, parent: astro, qos: [fast]}
  - {name: ring, parent: ring}
  - {name: bio, qos: [debug]}
  - {name: root, users: [{name: root}]}
licenses: {matlab: 0}
priority_weights: {age: 1}
`))
	wantError(t, err, `m.yaml:5: qos[0].priority: got -1, allowed 0..4294967295
m.yaml:6: qos[0].flags[0]: got "Fast", allowed DenyOnLimit, OverPartQOS
m.yaml:7: qos[0].limits.MaxWall: got "soon", allowed whole minutes like 90m, 24h, 7-00:00:00 or 12:00:00
m.yaml:7: qos[0].limits.MaxSubmitJobsPerUser: unknown key, allowed GrpTRES, GrpJobs, MaxTRESPerJob, MaxTRESPerUser, MaxTRESPerAccount, MaxJobsPerUser, MaxJobsPerAccount, MaxWall
m.yaml:7: qos[0].limits.GrpTRES.cpu: got -4, allowed 0..999999999
m.yaml:7: qos[0].limits.GrpTRES.mem: got "mem", allowed cpu, node
m.yaml:7: qos[0].limits.GrpTRES.tea: got "tea", allowed cpu, node
m.yaml:7: qos[0].limits.MaxJobsPerUser: got -2, allowed 0..999999999
m.yaml:8: qos[0].preempt: unknown key, allowed name, priority, usage_factor, flags, limits
m.yaml:9: qos[1].name: got "Debug", allowed no capitals, which sacctmgr makes small
m.yaml:10: qos[2].name: got "debug" twice, allowed each name once
m.yaml:12: accounts[0].parent: got "physics", allowed root
m.yaml:13: accounts[1].qos[0]: got "fast", allowed normal, debug, Debug, debug
m.yaml:13: accounts[1].qos: got fast without normal, allowed normal among them, or a default_qos: jobs that name none have it
m.yaml:14: accounts[2].parent: got "ring", allowed root, astro, physics
m.yaml:15: accounts[3].qos: got debug without normal, allowed normal among them, or a default_qos: jobs that name none have it
m.yaml:16: accounts[4].name: got "root" twice, allowed each name once
m.yaml:16: accounts[4].users[0].name: got "root" twice, allowed each name once
m.yaml:17: licenses.matlab: got 0, allowed 1..100000
m.yaml:18: priority_weights.age: unknown key, allowed qos, fairshare`)
	_, err = ParseMachine("m.yaml", []byte(`groups: [{name: thin, count: 4, cores: 8}]
reservations:
  - {name: a, nodes: "n[3-9]", duration: 30s}
  - {name: b, nodes: thin, count: 1, duration: 1h, users: [Anna], accounts: [chem], flags: [FOREVER]}
  - {name: c, count: 5, duration: 1h}
  - {name: d, nodes: n1, start: 30m, duration: 1h}
  - {name: e, count: 1, partition: gpu, duration: 1h}
`))
	wantError(t, err, `m.yaml:3: reservations[0].nodes: got "n[3-9]", allowed the name of a group, or nodes of n[1-4]
m.yaml:3: reservations[0].duration: got 30 s, allowed whole minutes from 1m to 365 days
m.yaml:4: reservations[1].count: got 1 beside nodes, allowed one of both
m.yaml:4: reservations[1].users[0]: got "Anna", allowed no capitals, which sacctmgr makes small
m.yaml:4: reservations[1].accounts[0]: got unknown account "chem", allowed root, or one of accounts
m.yaml:4: reservations[1].flags[0]: got "FOREVER", allowed MAINT, OVERLAP
m.yaml:4: reservations[1].nodes: got nodes of a at the same time, allowed other nodes or times, or the flag MAINT or OVERLAP
m.yaml:6: reservations[3].nodes: got nodes of b at the same time, allowed other nodes or times, or the flag MAINT or OVERLAP
m.yaml:7: reservations[4].partition: got unknown partition "gpu", allowed a partition of the machine`)
	_, err = ParseMachine("m.yaml", []byte(`groups: [{name: thin, count: 4, cores: 8}]
accounts:
  - name: law
    users:
      - {name: ann, usage: -1}
      - {name: bob, usage: 1000000000000001}
      - {name: eve, usage: 1.5}
      - {name: ida, usage: much}
  - {name: bio, usage: 5}
`))
	wantError(t, err, `m.yaml:5: accounts[0].users[0].usage: got -1, allowed 0..1000000000000000
m.yaml:6: accounts[0].users[1].usage: got 1000000000000001, allowed 0..1000000000000000
m.yaml:7: accounts[0].users[2].usage: got 1.5, allowed a whole number
m.yaml:8: accounts[0].users[3].usage: got "much", allowed a whole number
m.yaml:9: accounts[1].usage: unknown key, allowed name, parent, shares, qos, default_qos, limits, users`)
	_, err = ParseMachine("m.yaml", []byte("nodes: 4\ncores: 8\nlicenses: {matlab: 2}\nqos: []\n"))
	wantError(t, err, `m.yaml:3: licenses: got it beside nodes and cores, allowed beside groups; one group has all nodes of such a machine
m.yaml:4: qos: got it beside nodes and cores, allowed beside groups; one group has all nodes of such a machine`)
}

// A job that Slurm would leave pending, or refuse, has a fault.
func TestJobsUnderRules(t *testing.T) {
	m := ruledMachine(t)
	for _, c := range []struct {
		job  Job
		want string
	}{
		{Job{}, ""},
		{Job{Terms: Terms{QOS: "debug", Licenses: "matlab:2&ansys:1"}}, ""},
		{Job{Terms: Terms{QOS: "fast"}}, `qos: got "fast", allowed normal, debug, long (of machine ruled)`},
		{Job{Terms: Terms{QOS: "a b"}}, `qos: got "a b", allowed none, or one: 1..250`},
		{Job{Terms: Terms{QOS: "normal", Account: "astro"}}, `qos: got "normal", allowed debug, long (of account astro)`},
		{Job{User: "bob", Terms: Terms{QOS: "normal"}}, `qos: got "normal", allowed debug, long (of account astro)`},
		{Job{User: "anna", Terms: Terms{QOS: "normal"}}, ""},
		{Job{Limit: 1860, Terms: Terms{QOS: "debug"}}, "limit_s: got 1860, allowed 1..1800 (MaxWall of QOS debug)"},
		{Job{Cores: 9, Terms: Terms{QOS: "debug"}}, "cores: got cpu=9 in all, allowed up to 8 (MaxTRESPerJob of QOS debug)"},
		{Job{Cores: 13, User: "bob"}, "cores: got cpu=13 in all, allowed up to 12 (GrpTRES of QOS long)"},
		{Job{Nodes: 2, Cores: 2, GPUsMin: 2, GPUsMax: 2, Terms: Terms{QOS: "long"}}, "gpus_min: got gres/gpu=4 in all, allowed up to 2 (GrpTRES of QOS long)"},
		{Job{Options: Options{MemPerNode: 8193}, Terms: Terms{QOS: "long"}}, "mem_per_node: got mem=8193 in all, allowed up to 8192 (GrpTRES of QOS long)"},
		{Job{Nodes: 4, Cores: 4, Terms: Terms{Account: "astro"}}, "nodes: got node=4 in all, allowed up to 3 (GrpTRES of account physics)"},
		{Job{Nodes: 4, Cores: 4}, ""},
		{Job{Terms: Terms{Licenses: "matlab:3"}}, `licenses: got "matlab:3", allowed up to matlab:2 (licenses of machine ruled)`},
		{Job{Terms: Terms{Licenses: "idl:1"}}, `licenses: got "idl:1", allowed matlab:2&ansys:1 (licenses of machine ruled)`},
		{Job{Terms: Terms{Licenses: "matlab"}}, `licenses: got "matlab", allowed none, or NAME:NUMBER joined by &, each name once`},
		{Job{User: "anna", Terms: Terms{Reservation: "course", Account: "astro", QOS: "debug"}}, ""},
		{Job{User: "anna", Terms: Terms{Reservation: "course"}}, `reservation: got "course", allowed a reservation for user "anna" and account physics; course is for others`},
		{Job{Terms: Terms{Reservation: "cooling"}}, ""},
		{Job{Terms: Terms{Reservation: "other"}}, `reservation: got "other", allowed cooling, course, any (of machine ruled)`},
		{Job{Nodes: 3, Cores: 3, Terms: Terms{Reservation: "cooling"}}, `nodes: got 3, allowed 0..2 (nodes of reservation cooling)`},
		{Job{Arrival: 10080, Limit: 720, Terms: Terms{Reservation: "cooling"}}, ""},
		{Job{Arrival: 10081, Limit: 720, Terms: Terms{Reservation: "cooling"}}, `limit_s: got 720, allowed 1..719, what reservation cooling lasts from the job's arrival on`},
	} {
		j := c.job
		j.ID, j.Runtime, j.Class = 1, 60, "a"
		j.Cores, j.Limit = max(j.Cores, 1), max(j.Limit, 60)
		errs := j.Validate(m)
		if (len(errs) == 0) != (c.want == "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.job, errs, c.want)
		}
	}
	equal := machine(t, "S")
	j := Job{ID: 1, Runtime: 60, Limit: 60, Cores: 1, Class: "a", Terms: Terms{QOS: "debug", Licenses: "a:1", Reservation: "r"}}
	var got []string
	for _, err := range j.Validate(equal) {
		got = append(got, err.Error())
	}
	if want := `job 1: qos: got "debug", allowed normal (of machine S)
job 1: licenses: got "a:1", allowed none: machine S has none
job 1: reservation: got "r", allowed none: machine S has none`; strings.Join(got, "\n") != want {
		t.Errorf("on equal nodes: %q", got)
	}
}

// A user whom the machine has in an account is charged there; nobody else is a Unix user where no limits are.
func TestWhoSubmits(t *testing.T) {
	m, plain := ruledMachine(t), machine(t, "S")
	for _, c := range []struct {
		on              Machine
		job             Job
		charged, submit string
	}{
		{m, Job{}, "", ""},
		{m, Job{User: "anna"}, "", "anna"},
		{m, Job{User: "anna", Terms: Terms{Account: "astro"}}, "astro", "anna"},
		{m, Job{User: "zoe"}, "zoe", "zoe"},
		{m, Job{Terms: Terms{Account: "astro"}}, "astro", ""},
		{plain, Job{User: "anna"}, "anna", ""},
	} {
		if charged, submit := c.on.Charged(c.job), c.on.Submitter(c.job); charged != c.charged || submit != c.submit {
			t.Errorf("%+v on %s: %q, %q, want %q, %q", c.job, c.on.Name, charged, submit, c.charged, c.submit)
		}
	}
	if got := m.Layout.Enforces() && !(layout.Layout{}).Enforces(); !got {
		t.Error("limits are kept where there are some")
	}
}

// QOS, accounts, licences, weights and reservations that are written are read as the same.
func TestWritesRules(t *testing.T) {
	want := ruledMachine(t)
	want.Layout.QOS[1].Limits.MaxTRESPerUser = layout.TRES{"gres/gpu:a100": 1}
	want.Layout.JobSubmit = "  -- indented\n\n# \"quoted\": 'as' {it} is\nfunction slurm_job_submit()\n\treturn 0 \nend\n"
	text := MachineFile(want)
	got, err := ParseMachine("again.yaml", []byte(text))
	got.Name = want.Name
	if err != nil || !got.Equal(want) {
		t.Errorf("got %+v, %v\nwant %+v of\n%s", got, err, want, text)
	}
	if line := "  - {name: long, usage_factor: 0.5, flags: [DenyOnLimit], limits: {GrpTRES: {cpu: 12, gres/gpu: 2, mem: 8GiB}, MaxTRESPerUser: {\"gres/gpu:a100\": 1}}}\n"; !strings.Contains(text, line) {
		t.Errorf("got\n%s\nwant the line %s", text, line)
	}
}

// slurm.conf(5), "PARTITION CONFIGURATION": who may use a partition, and how much of it. What Slurm would refuse or never start is a
// fault of the job; settings that are written are read as the same.
func TestPartitionSettings(t *testing.T) {
	const text = `groups:
  - {name: thin, count: 4, cores: 8, memory: 16GiB}
partitions:
  - {name: open, groups: [thin], default: true}
  - {name: part, groups: [thin], settings: {QOS: small, AllowAccounts: physics, DenyQos: long, MinNodes: 2, MaxCPUsPerNode: 4, MaxMemPerNode: 8000}}
qos:
  - {name: small, limits: {MaxTRESPerJob: {cpu: 12}}}
  - {name: long, limits: {MaxWall: 1h}}
  - {name: wide, flags: [OverPartQOS], limits: {MaxTRESPerJob: {cpu: 16}}}
accounts:
  - {name: physics, users: [{name: anna}]}
  - {name: bio, users: [{name: eve}]}
`
	m, err := ParseMachine("set.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseMachine("again.yaml", []byte(MachineFile(m)))
	if again.Name = m.Name; err != nil || !again.Equal(m) {
		t.Errorf("written and read it is %+v, %v", again, err)
	}
	for _, c := range []struct {
		job  Job
		want string
	}{
		{Job{User: "anna"}, ""},
		{Job{User: "anna", Nodes: 3, Cores: 12}, ""},
		{Job{User: "eve"}, `partition: got "part", allowed a partition for account bio (AllowAccounts=physics of partition part)`},
		{Job{User: "anna", Terms: Terms{QOS: "long"}}, `partition: got "part", allowed a partition for QOS long (DenyQos=long of partition part)`},
		{Job{User: "anna", Nodes: 1}, "nodes: got 1, allowed 2 or more (MinNodes of partition part)"},
		{Job{User: "anna", Nodes: 1, NodesMax: 2}, ""},
		{Job{User: "anna", Nodes: 2, Cores: 10, CoresPerNode: 5}, "nodes: got nodes with cores_per_node=5, allowed those that are in service in partition part of machine set: there is none"},
		{Job{User: "anna", Nodes: 2, Cores: 10}, "cores: got 10, allowed up to 8"},
		{Job{User: "anna", Options: Options{MemPerNode: 8001}}, "mem_per_node: got 8001, allowed 0..8000 (MaxMemPerNode of partition part)"},
		{Job{User: "anna", Nodes: 4, Cores: 13}, "cores: got cpu=13 in all, allowed up to 12 (MaxTRESPerJob of QOS small)"},
		{Job{User: "anna", Nodes: 4, Cores: 13, Terms: Terms{QOS: "wide"}}, ""},
	} {
		j := c.job
		j.ID, j.Runtime, j.Limit, j.Class, j.Partition = 1, 60, 60, "a", "part"
		j.Cores = max(j.Cores, j.Nodes, 1)
		errs := j.Validate(m)
		if (len(errs) == 0) != (c.want == "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.job, errs, c.want)
		}
	}
	_, err = ParseMachine("bad.yaml", []byte(strings.Replace(text, "MinNodes: 2", "MinNode: 2, LLN: [yes]", 1)))
	if err == nil || !strings.Contains(err.Error(), "bad.yaml:5: partitions[1].settings.MinNode: got an unknown setting") || !strings.Contains(err.Error(), "bad.yaml:5: partitions[1].settings.LLN: ") {
		t.Errorf("%v", err)
	}
}

// With OverSubscribe=EXCLUSIVE jobs get whole nodes, as with --exclusive (slurm.conf(5)); a range of GPUs on them is one number.
func TestWholeNodePartitions(t *testing.T) {
	m, err := ParseMachine("m.yaml", []byte(`groups:
  - {name: thin, count: 4, cores: 8, gpus: 4}
partitions:
  - {name: whole, groups: [thin], default: true, settings: {OverSubscribe: EXCLUSIVE}}
  - {name: shared, groups: [thin]}
`))
	if err != nil {
		t.Fatal(err)
	}
	const head = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,user,partition\n"
	w, err := parseWorkload("w.csv", []byte(head+"1,0,60,60,1,1,1,0,0,0,a,u,\n2,0,60,60,1,1,1,0,0,0,a,u,whole\n3,0,60,60,1,1,1,1,2,0,a,u,shared\n"))
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, exclusive := range []bool{true, true, false} {
		if jobs[i].Exclusive != exclusive {
			t.Errorf("job %d: exclusive is %t, want %t", jobs[i].ID, jobs[i].Exclusive, exclusive)
		}
	}
	if w, err = parseWorkload("w.csv", []byte(head+"1,0,60,60,1,1,1,1,2,0,a,u,whole\n")); err != nil {
		t.Fatal(err)
	}
	_, err = w.Jobs(m, 1)
	wantError(t, err, "w.csv:2: job 1: gpus_max: got 2, allowed gpus_min=1 in partition whole of machine m, whose jobs get all of their nodes")
}
