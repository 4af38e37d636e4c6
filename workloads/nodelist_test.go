package workloads

import (
	"strings"
	"testing"
)

// sbatch(1), "--nodelist": "The job will contain all of these hosts and possibly additional hosts as needed to satisfy resource requirements".
func TestNodeList(t *testing.T) {
	const header = csvHeader + ",nodelist\n"
	const rule = ", allowed none, or nodes by their numbers in ascending order, as n[1-3&7], each once"
	const unequal = "nodes in service in partition gpu of machine campus that have what the job asks for; "
	for _, c := range []struct{ nodes, cell, machine, want string }{
		{"4", "n[1-3&7]", "S", ""},
		{"5", "n[1-3&7]", "S", ""},
		{"1", "n128", "S", ""},
		{"1", "n129", "S", `nodelist: got "n129", allowed nodes up to n128 (of machine S)`},
		{"3", "n[1-3&7]", "S", "nodelist: got 4 nodes, allowed 0..3, the job's nodes"},
		{"0", "n1", "S", "nodelist: got 1 nodes, allowed 0..0, the job's nodes"},
		{"4", "n[1-3&3]", "S", `nodelist: got "n[1-3&3]"` + rule},
		{"4", "n3&n1", "S", `nodelist: got "n3&n1"` + rule},
		{"4", "n[1&2]", "S", `nodelist: got "n[1&2]"` + rule},
		{"4", "n[1-", "S", `nodelist: got "n[1-"` + rule},
		{"4", "cn1", "S", `nodelist: got "cn1"` + rule},
		{"4", "n0", "S", `nodelist: got "n0"` + rule},
		{"4", "n[1-900000000]", "S", `nodelist: got "n[1-900000000]"` + rule},
	} {
		row := "1,0,60,120," + c.nodes + ",8,0,0,0,0,a," + c.cell + "\n"
		jobs, err := ReadCSV(strings.NewReader(header+row), "w.csv")
		if err == nil {
			if got := csvOf(t, jobs); got != header+row {
				t.Errorf("%s: wrote %s", c.cell, got)
			}
			for _, each := range jobs[0].Validate(machine(t, c.machine)) {
				err = each
			}
			if jobs[0].MayHave(machine(t, c.machine)) != (c.want == "") {
				t.Errorf("%s: may have them: %t", c.cell, jobs[0].MayHave(machine(t, c.machine)))
			}
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.cell, err)
		case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), "job 1: "+c.want)):
			t.Errorf("%s: got %v, want %s", c.cell, err, c.want)
		}
	}
	m, err := ParseMachine("m.yaml", []byte(`name: campus
groups:
  - {name: thin, count: 4, cores: 16}
  - {name: fat, count: 4, cores: 16, gpus: {v100: 2}}
partitions:
  - {name: batch, groups: [thin], default: true}
  - {name: gpu, groups: [fat]}
down_nodes:
  - {nodes: n8}
`))
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]string{
		"n[5-6]": "",
		"n[4-5]": `job 1: nodelist: got "n[4-5]", allowed ` + unequal + "n4 is none",
		"n8":     `job 1: nodelist: got "n8", allowed ` + unequal + "n8 is none",
		"n9":     `job 1: nodelist: got "n9", allowed nodes up to n8 (of machine campus)`,
	} {
		j := Job{ID: 1, Runtime: 60, Limit: 60, Nodes: 2, Cores: 2, GPUsMin: 1, GPUsMax: 1, Class: "a", Options: Options{Partition: "gpu", NodeList: cell}}
		errs := j.Validate(m)
		if want == "" && len(errs) > 0 || want != "" && (len(errs) != 1 || errs[0].Error() != want) {
			t.Errorf("%s: got %v, want %s", cell, errs, want)
		}
	}
}
