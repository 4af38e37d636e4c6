package events_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

func mini() workloads.Machine { return workloads.Machine{Name: "mini", Nodes: 4, Cores: 8} }

func grouped(t *testing.T) workloads.Machine {
	t.Helper()
	m, err := workloads.ParseMachine("g.yaml", []byte(`name: g
groups:
  - {name: thin, count: 3, cores: 8}
  - {name: fat, count: 2, cores: 16}
partitions:
  - {name: short, groups: [thin], default: true}
  - {name: long, groups: [thin, fat]}
down_nodes:
  - {nodes: n5, state: down, reason: fan}
`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Rows are put in the order of their times, groups become nodes, and scontrol gets what its man page asks for.
// scontrol(1), "update": State=DOWN and State=DRAIN with a Reason, State=RESUME without one.
func TestRead(t *testing.T) {
	text := "# from the log of the site\nat_s,event,nodes,reason,setting\n" +
		"7200,resume,fat,,\n3600,down,\"n[4-5]\",power supply,\n60,drain,thin,,\n7200,update,,,PartitionName=long  MaxTime=60\n7200,resume,\"n1,n3\",,\n"
	list, err := events.Read(strings.NewReader(text), "e.csv", grouped(t))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, e := range list {
		words = append(words, fmt.Sprintf("%d %s", e.At, strings.Join(e.Words(), "|")))
	}
	want := []string{
		"60 NodeName=n[1-3]|State=DRAIN|Reason=event",
		"3600 NodeName=n[4-5]|State=DOWN|Reason=power supply",
		"7200 NodeName=n[4-5]|State=RESUME",
		"7200 PartitionName=long|MaxTime=60",
		"7200 NodeName=n[1,3]|State=RESUME",
	}
	if !slices.Equal(words, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(words, "\n"), strings.Join(want, "\n"))
	}
	if out := events.OutOfService(list); out != "n2" {
		t.Errorf("out of service is %s, want n2", out)
	}
}

// Events have the site's names of nodes (key hosts of the machine file), and Slurm gets the machine's. The machine's own names come
// first, as "slurmlab machine events" writes them.
func TestReadSiteNames(t *testing.T) {
	m, err := workloads.ParseMachine("g.yaml", []byte("groups:\n  - {name: cpu, count: 2, cores: 8, hosts: \"n[2-3]\"}\n  - {name: gpu, count: 3, cores: 8, hosts: \"ga[01-03]\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const header = "at_s,event,nodes,reason,setting\n"
	for _, c := range []struct{ row, want, fault string }{
		{row: `1,drain,"ga[01,03]",,`, want: "NodeName=n[3,5]|State=DRAIN|Reason=event"},
		{row: "1,drain,n2,,", want: "NodeName=n2|State=DRAIN|Reason=event"},
		{row: "1,update,,,NodeName=ga02 Weight=3", want: "NodeName=n4|Weight=3"},
		{row: "1,update,,,NodeName=n4 Weight=3", want: "NodeName=n4|Weight=3"},
		{row: `1,drain,"ga[01-04]",,`, fault: "e.csv:2: nodes: got ga04, which no node is called at the site, allowed nodes n1 to n5 of machine g, such as n[1-2], or a group: cpu, gpu"},
		{row: "1,drain,gb01,,", fault: "e.csv:2: nodes: "},
	} {
		list, err := events.Read(strings.NewReader(header+c.row+"\n"), "e.csv", m)
		switch {
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: got %v, want %s", c.row, err, c.fault)
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", c.row, err)
		case c.fault == "" && strings.Join(list[0].Words(), "|") != c.want:
			t.Errorf("%s: got %q, want %s", c.row, list[0].Words(), c.want)
		}
	}
}

// Limits change as sacctmgr(1) has them: "modify qos where name= set", and of a user in an account. -1 clears a limit, and 0 lets
// nothing run.
func TestReadLimits(t *testing.T) {
	m, err := workloads.ParseMachine("g.yaml", []byte(`groups:
  - {name: cn, count: 2, cores: 8, gpus: {a100: 2}}
qos:
  - {name: low}
accounts:
  - {name: physics, users: [{name: anna}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	const header = "at_s,event,nodes,reason,setting\n"
	for _, c := range []struct{ setting, want, fault string }{
		{setting: "qos=low grptres=cpu=4,gres/GPU=2 GrpJobs=0", want: "qos where name=low set GrpTRES=cpu=4,gres/gpu=2 GrpJobs=0"},
		{setting: "QOS=low MaxWall=1-0", want: "qos where name=low set MaxWall=1-0"},
		{setting: "QOS=low GrpTRES=gres/gpu=-1 MaxWall=-1", want: "qos where name=low set GrpTRES=gres/gpu=-1 MaxWall=-1"},
		{setting: "Account=physics GrpJobs=-1", want: "account where name=physics set GrpJobs=-1"},
		{setting: "User=anna Account=physics MaxJobs=1", want: "user where name=anna Account=physics set MaxJobs=1"},
		{setting: "QOS=high GrpJobs=1", fault: `got QOS "high", allowed the ones of the machine file: normal, low`},
		{setting: "Account=chemistry GrpJobs=1", fault: `got account "chemistry", allowed the ones of the machine file: physics`},
		{setting: "User=ben Account=physics GrpJobs=1", fault: `got user "ben", allowed the ones of account physics in the machine file: anna`},
		{setting: "User=anna MaxJobs=1", fault: `got "User=anna MaxJobs=1", allowed QOS=NAME, Account=NAME, or User=NAME and Account=NAME`},
		{setting: "User=anna Account=physics", fault: "allowed QOS=NAME"},
		{setting: "Partition=main MaxTime=1", fault: "allowed QOS=NAME"},
		{setting: "QOS=low", fault: "allowed QOS=NAME"},
		{setting: "QOS=low MaxJobs=1", fault: `got "MaxJobs=1", allowed the limits GrpTRES, GrpJobs, `},
		{setting: "Account=physics MaxJobsPerUser=1", fault: `got "MaxJobsPerUser=1", allowed the limits GrpTRES, GrpJobs, MaxTRESPerJob, MaxJobs, MaxWall`},
		{setting: "QOS=low GrpJobs=few", fault: `got "GrpJobs=few", allowed GrpJobs=0 to `},
		{setting: "QOS=low GrpJobs", fault: `got "GrpJobs", allowed GrpJobs=0 to `},
		{setting: "QOS=low GrpTRES=gres/gpu:h100=2", fault: "each name one of cpu, node, gres/gpu, gres/gpu:a100"},
		{setting: "QOS=low GrpTRES=", fault: "each name one of cpu"},
		{setting: "QOS=low MaxWall=soon", fault: "allowed a time limit, such as MaxWall=1-0 or 24:00:00, or -1 for no limit"},
		{setting: "QOS=low GrpJobs=1 grpjobs=2", fault: "got GrpJobs twice, allowed each limit once"},
	} {
		list, err := events.Read(strings.NewReader(header+"1,modify,,,\""+c.setting+"\"\n"), "e.csv", m)
		switch {
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), "e.csv:2: setting: ") || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: got %v, want %s", c.setting, err, c.fault)
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", c.setting, err)
		case c.fault == "":
			if got := strings.Join(list[0].Command(), " "); got != "sacctmgr -i modify "+c.want {
				t.Errorf("%s: got the command %q, want %s", c.setting, got, c.want)
			}
			var text bytes.Buffer
			again, err := []events.Event(nil), events.Write(&text, list)
			if err == nil {
				again, err = events.Read(&text, "e.csv", m)
			}
			if err != nil || !slices.Equal(again, list) {
				t.Errorf("%s: read again as %v, %v", c.setting, again, err)
			}
		}
	}
}

func TestReadFaults(t *testing.T) {
	const header = "at_s,event,nodes,reason,setting\n"
	for _, tt := range []struct{ text, want string }{
		{"", "e.csv: events: got 0, allowed 1..100000"},
		{"at,event\n", `e.csv:1: header: got "at,event", allowed at_s,event,nodes[,reason[,setting]]`},
		{header + "1,down\n", "e.csv:2: row: got 2 columns, allowed 5"},
		{header + "1,down,\"n1,,,\n", "e.csv:2: row: "},
		{header + "-5,down,n1,,\n", `e.csv:2: at_s: got "-5", allowed whole seconds after the start of the run, 0..31536000`},
		{header + "1,dwon,n1,,\n", `e.csv:2: event: got "dwon", allowed down, drain, resume, update, modify; did you mean "down"?`},
		{header + "1,down,n5,,\n", "e.csv:2: nodes: got n5, allowed nodes n1 to n4 of machine mini, such as n[1-2]"},
		{header + "1,down,,,\n", "e.csv:2: nodes: got none"},
		{header + "1,down,m1,,\n", "e.csv:2: nodes: "},
		{header + "1,down,n1,\"a \"\"b\",\n", "e.csv:2: reason: "},
		{header + "1,down,n1,,A=B C=D\n", "e.csv:2: setting: "},
		{header + "1,update,n1,,PartitionName=main MaxTime=1\n", "e.csv:2: nodes: "},
		{header + "1,update,,,PartitionName=nope MaxTime=1\n", `e.csv:2: setting: got partition "nope", allowed main`},
		{header + "1,update,,,JobId=3 TimeLimit=1\n", "e.csv:2: setting: "},
		{header + "1,update,,,PartitionName=main\n", "e.csv:2: setting: "},
		{header + "1,update,,,NodeName=n1 State=DOWN\n", "allowed the events down, drain and resume"},
		{header + "1,modify,n1,,QOS=low GrpJobs=1\n", "e.csv:2: nodes: got \"n1\", allowed nothing beside modify"},
		{header + "1,modify,,,QOS=low GrpJobs=1\n", "e.csv:2: setting: got limits, and Slurm keeps none on machine mini, which has neither QOS nor accounts; allowed"},
		{header + "9,resume,n1,,\n10,down,n1,,\n", "e.csv:2: nodes: got n1, which is in service at 9 s"},
		{header + "9,down,n1,,\n10,resume,n1,,\n10,resume,n1,,\n", "e.csv:4: nodes: got n1, which is in service at 10 s"},
		// All at once.
		{header + "x,down,n9,,\n1,dwon,n1,,\n", "e.csv:3: event"},
	} {
		_, err := events.Read(strings.NewReader(tt.text), "e.csv", mini())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

// What was read is written in one form, by which runs are compared, and reads back the same.
func TestWritesWhatItReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []events.Event
		out := map[int]bool{}
		at := 0
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			at += rapid.IntRange(0, 1000).Draw(t, "later")
			node := rapid.IntRange(1, 4).Draw(t, "node")
			e := events.Event{At: at, Nodes: fmt.Sprintf("n%d", node)}
			switch {
			case rapid.Bool().Draw(t, "setting"):
				e = events.Event{At: at, Kind: events.Update, Setting: "PartitionName=main MaxTime=" + rapid.StringMatching(`[1-9][0-9]{0,2}`).Draw(t, "minutes")}
			case out[node]:
				e.Kind, out[node] = events.Resume, false
			default:
				e.Kind = rapid.SampledFrom([]events.Kind{events.Down, events.Drain}).Draw(t, "kind")
				e.Reason, out[node] = rapid.StringMatching(`[a-z, ]{0,8}[a-z]`).Draw(t, "reason"), true
			}
			list = append(list, e)
		}
		var text bytes.Buffer
		if err := events.Write(&text, list); err != nil {
			t.Fatal(err)
		}
		again, err := events.Read(&text, "e.csv", mini())
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("got %v, %v, want %v", again, err, list)
		}
		if a, b := events.SumOf(list), events.SumOf(again); *a != *b || a.Count != len(list) {
			t.Fatalf("sums %v and %v", a, b)
		}
		list[0].At++
		if a, b := events.SumOf(list), events.SumOf(again); *a == *b {
			t.Fatal("another time has the same sum")
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("at_s,event,nodes,reason,setting\n1,down,\"n[1-2,4]\",a,\n")
	f.Add("at_s,event,nodes\n#\n1,drain,n1\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := events.Read(strings.NewReader(text), "e.csv", mini())
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := events.Write(&out, list); err != nil {
			t.Fatal(err)
		}
		if again, err := events.Read(&out, "e.csv", mini()); err != nil || !slices.Equal(again, list) {
			t.Fatalf("%q: %v became %v, %v", text, list, again, err)
		}
	})
}
