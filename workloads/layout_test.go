package workloads

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

const campus = "testdata/campus.yaml"

// A file of groups gives its nodes: 8 of 16 cores, two of which are drained, 4 of 32 with 4 GPUs, one of which is
// down, and 2 of 64 with 8.
func TestGroups(t *testing.T) {
	m := machine(t, campus)
	if m.Nodes != 14 || m.Cores != 64 || m.GPUs != 8 || !m.Unequal() {
		t.Fatalf("got %+v", m)
	}
	if cores, gpus := m.AllCores(), m.AllGPUs(); cores != 6*16+3*32+2*64 || gpus != 3*4+2*8 {
		t.Errorf("%d cores and %d GPUs in service", cores, gpus)
	}
	sizes := m.Sizes()
	for n, want := range map[int]NodeSize{0: {16, 0}, 6: {}, 8: {32, 4}, 11: {}, 13: {64, 8}} {
		if sizes[n] != want {
			t.Errorf("node n%d has %+v, want %+v", n+1, sizes[n], want)
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again Machine
	if err := json.Unmarshal(data, &again); err != nil || !again.Equal(m) {
		t.Errorf("JSON gives %+v, %v", again, err)
	}
	if err := m.CheckSize("field machine"); err != nil {
		t.Error(err)
	}
	again.Nodes++
	if err := again.CheckSize("field machine"); err == nil || !strings.Contains(err.Error(), "field machine.nodes: got nodes=15") {
		t.Errorf("numbers that contradict the groups: %v", err)
	}
}

// Equal nodes are what they were: no key of run.json is new, and the sums are the products.
func TestEqualNodesHaveNoGroups(t *testing.T) {
	for _, name := range MachineNames() {
		m := machine(t, name)
		data, err := json.Marshal(m)
		if err != nil || strings.Contains(string(data), "layout") {
			t.Errorf("%s: %s, %v", name, data, err)
		}
		if m.AllCores() != m.Nodes*m.Cores || m.AllGPUs() != m.Nodes*m.GPUs || len(m.Sizes()) != m.Nodes {
			t.Errorf("%s has %d cores and %d GPUs", name, m.AllCores(), m.AllGPUs())
		}
		if l := m.WithLayout(); len(l.layoutFaults()) > 0 || l.AllCores() != m.AllCores() {
			t.Errorf("%s as a group: %v", name, l.layoutFaults())
		}
	}
}

// "partition without nodes, unknown group, GPU count of zero": all faults of a file with
// their lines.
func TestBadGroups(t *testing.T) {
	_, err := LoadMachine(write(t, "m.yaml", `groups:
  - name: thin
    count: 0
    cores: 16
    sockets: 3
    colour: red
  - name: thin
    count: 2
    cores: 8
    gpus: {a100: 0}
  - name: spare
    count: 1
    cores: 1
nodes: 4
partitions:
  - name: batch
    groups: [thin, fat]
    max_time: soon
  - name: empty
    groups: []
`))
	wantError(t, err, `m.yaml:3: groups[0].count: got 0, allowed 1..10000
m.yaml:5: groups[0].sockets: got 3, allowed 1..1024, a divisor of cores=16
m.yaml:6: groups[0].colour: unknown key, allowed name, count, sockets, cores, threads, memory, gpus, shards, mps, features, weight, hosts
m.yaml:7: groups[1].name: got "thin" twice, allowed each name once
m.yaml:10: groups[1].gpus.a100: got 0, allowed 1..128
m.yaml:11: groups[2]: got group "spare" in no partition, allowed each group in a partition: no job could get its nodes
m.yaml:14: nodes: unknown key, allowed name, groups, partitions, down_nodes, qos, accounts, licenses, priority_weights, reservations, job_submit, switches, blocks
m.yaml:15: partitions: got no default partition, allowed default: true in one of them, which takes the jobs that name none
m.yaml:17: partitions[0].groups[1]: got unknown group "fat", allowed thin, thin, spare
m.yaml:18: partitions[0].max_time: got "soon", allowed whole minutes like 90m, 24h, 7-00:00:00 or 12:00:00
m.yaml:20: partitions[1].groups: got no group, allowed at least one group: a partition without nodes takes no job`)
}

// A job fits if the nodes of the default partition that are in service can hold it. In campus these are n1 to n6 and
// n9 to n11, for up to 24 hours.
func TestJobsOnGroups(t *testing.T) {
	m := machine(t, campus)
	job := func(nodes, cores, perNode, gpus, limit int) Job {
		return Job{ID: 1, Runtime: 60, Limit: limit, Nodes: nodes, Cores: cores, CoresPerNode: perNode, GPUsMin: gpus, GPUsMax: gpus, Class: "a"}
	}
	for _, c := range []struct {
		job  Job
		want string
	}{
		{job(0, 192, 0, 0, 86400), ""},
		{job(0, 193, 0, 0, 60), "cores: got 193, allowed up to 192"},
		{job(9, 9, 1, 0, 60), ""},
		{job(10, 10, 1, 0, 60), "nodes: got 10 nodes with cores_per_node=1, allowed up to 9"},
		{job(3, 96, 32, 4, 60), ""},
		{job(4, 64, 16, 4, 60), "nodes: got 4 nodes with cores_per_node=16 with gpus_min=4, allowed up to 3"},
		{job(4, 112, 0, 0, 60), ""},
		{job(4, 113, 0, 0, 60), "cores: got 113, allowed up to 112"},
		{job(1, 33, 33, 0, 60), "nodes: got nodes with cores_per_node=33, allowed those"},
		{job(1, 1, 0, 5, 60), "nodes: got nodes with gpus_min=5, allowed those"},
		{job(1, 1, 0, 0, 86460), "limit_s: got 86460, allowed 1..86400 (max_time of partition batch)"},
	} {
		errs := c.job.Validate(m)
		if (len(errs) == 0) != (c.want == "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.job, errs, c.want)
		}
	}
	for _, c := range []struct {
		gpus    int
		options Options
		want    string
	}{
		{0, Options{Partition: "gpu"}, ""},
		{0, Options{Partition: "gpus"}, `partition: got "gpus", allowed batch, gpu, long, debug (of machine campus)`},
		{2, Options{Partition: "gpu", GPUType: "a100"}, ""},
		{2, Options{GPUType: "a100"}, "nodes: got nodes with gpus_min=2 with gpu_type=a100, allowed those that are in service in partition batch"},
		{2, Options{GPUType: "h100"}, `gpu_type: got "h100", allowed v100, a100 (of machine campus)`},
		{0, Options{Features: "ib&gpu"}, ""},
		{0, Options{Partition: "long", Features: "ib&gpu"}, "nodes: got nodes with features=ib&gpu, allowed those"},
		{0, Options{Partition: "long", Features: "ib|gpu"}, ""},
		{0, Options{Features: "ib&opa"}, `features: got "opa", allowed gpu, ib (of machine campus)`},
		{0, Options{MemPerNode: 256 << 10}, ""},
		{0, Options{MemPerNode: 256<<10 + 1}, "nodes: got nodes with mem_per_node=262145, allowed those"},
		{0, Options{Partition: "gpu", MemPerNode: 512 << 10}, ""},
		{0, Options{MemPerCPU: 256 << 10}, ""},
		{0, Options{MemPerCPU: 256<<10 + 1}, "nodes: got nodes with mem_per_cpu=262145, allowed those"},
		{0, Options{MemPerCPU: 8 << 10, Exclusive: true}, ""},
		{0, Options{MemPerCPU: 8<<10 + 1, Exclusive: true}, "nodes: got nodes with mem_per_cpu=8193 with exclusive=1, allowed those"},
	} {
		j := job(0, 1, 0, c.gpus, 60)
		j.Options = c.options
		errs := j.Validate(m)
		if (len(errs) == 0) != (c.want == "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, errs, c.want)
		}
	}
	for _, c := range []struct {
		job       Job
		partition string
		want      string
	}{
		// Only the nodes of one partition hold a job: batch has three volta nodes in service and thin ones, gpu these three and ampere.
		{job(5, 5, 1, 4, 60), "batch&gpu", ""},
		{job(6, 6, 1, 4, 60), "batch&gpu", "nodes: got 6 nodes with cores_per_node=1 with gpus_min=4, allowed up to 3, the number in service in partition batch"},
		{job(9, 9, 1, 0, 60), "gpu&batch", ""},
		{job(0, 230, 0, 0, 60), "gpu&long", "cores: got 230, allowed up to 224"},
		{job(1, 1, 0, 0, 86460), "batch&long", ""},
		{job(1, 1, 0, 0, 86460), "batch&debug", "limit_s: got 86460, allowed 1..86400 (max_time of partition batch)"},
		{job(1, 1, 0, 0, 60), "batch&gpus", `partition: got "gpus", allowed batch, gpu, long, debug (of machine campus)`},
	} {
		c.job.Partition = c.partition
		errs := c.job.Validate(m)
		if (len(errs) == 0) != (c.want == "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.job, errs, c.want)
		}
	}
	several := job(0, 1, 0, 0, 60)
	several.Partition = "gpu&long"
	if longest, limited := several.LongestLimit(m); limited {
		t.Errorf("longest limit %d s, want none, as long has none", longest)
	}
	several.Partition = "batch&gpu"
	if longest, limited := several.LongestLimit(m); longest != 2*86400 || !limited {
		t.Errorf("longest limit %d s, %t, want that of gpu", longest, limited)
	}
	if hosts := m.Hosts(several); !reflect.DeepEqual(hosts, []NodeKind{{2, 2, 64, 8}, {1, 3, 32, 4}, {0, 6, 16, 0}}) {
		t.Errorf("hosts %+v", hosts)
	}
	// Two cores of a thin node have 40 GiB each only if it is one, and one of a node of volta five.
	few := job(0, 6*1+3*6, 0, 0, 60)
	few.MemPerCPU = 40 << 10
	if errs := few.Validate(m); len(errs) > 0 {
		t.Error(errs)
	}
	few.Cores++
	if errs := few.Validate(m); len(errs) == 0 || !strings.Contains(errs[0].Error(), "cores: got 25, allowed up to 24") {
		t.Error(errs)
	}
	w, err := Load("V.2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.Jobs(m, 1); err == nil || !strings.Contains(err.Error(), "which is generated, needs equal nodes") {
		t.Errorf("generated jobs: %v", err)
	}
}

// Equal nodes have no partition but main, no memory and no features, and a job that wants
// some is refused before a cluster starts; whole nodes can be had everywhere.
func TestOptionsOnEqualNodes(t *testing.T) {
	m := machine(t, "S")
	j := Job{ID: 1, Runtime: 60, Limit: 60, Cores: 1, GPUsMin: 1, GPUsMax: 1, Class: "a", Options: Options{Partition: "main", Exclusive: true}}
	if errs := j.Validate(m); len(errs) > 0 {
		t.Error(errs)
	}
	j.Options = Options{Partition: "gpu", MemPerNode: 1, Features: "ib", GPUType: "a100"}
	var fields []string
	for _, err := range j.Validate(m) {
		field, rest, _ := strings.Cut(strings.TrimPrefix(err.Error(), "job 1: "), ": ")
		if !strings.Contains(rest, "allowed none on machine S, whose nodes are equal; a machine file with groups has") {
			t.Error(err)
		}
		fields = append(fields, field)
	}
	if !slices.Equal(fields, []string{"partition", "mem_per_node", "features", "gpu_type"}) {
		t.Errorf("faults of %q", fields)
	}
	err := CheckPlain("policy auction", []Job{{ID: 7}, j, {ID: 8, Options: Options{Exclusive: true}}})
	wantError(t, err, "workload: policy auction knows nodes, cores and GPUs alone, and 2 of 3 jobs ask for more: job 1 has partition=gpu, mem_per_node=1, features=ib, gpu_type=a100")
	if err = CheckPlain("policy auction", []Job{{ID: 7}}); err != nil {
		t.Error(err)
	}
}

// The published schema takes what slurmlab takes, and has each key that slurmlab has and no
// other.
func TestSchema(t *testing.T) {
	data, err := os.ReadFile("../docs/machine.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err = json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(campus)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(value)
	}
	for _, good := range []string{string(text), "nodes: 4\ncores: 2\nswitches: {nodes: 2}\n", ruledText} {
		if err := valid(good); err != nil {
			t.Errorf("%v for\n%s", err, good)
		}
	}
	for _, bad := range []string{"groups: []\n", "colour: red\n", strings.Replace(string(text), "v100: 4", "v100: 0", 1)} {
		if valid(bad) == nil {
			t.Errorf("the schema takes\n%s", bad)
		}
	}
	for path, asked := range map[string][]string{"": {"groups: [{}]\nx: 1\n", "x: 1\n"}, "groups": {"groups: [{x: 1}]\n"}, "partitions": {"groups: [{}]\npartitions: [{x: 1}]\n"},
		"down_nodes": {"groups: [{}]\ndown_nodes: [{x: 1}]\n"}, "qos": {"groups: [{}]\nqos: [{x: 1}]\n"}, "accounts": {"groups: [{}]\naccounts: [{x: 1}]\n"},
		"reservations": {"groups: [{}]\nreservations: [{x: 1}]\n"}} {
		properties := schema.Properties
		if path != "" {
			properties = properties[path].Items.Properties
		}
		var keys []string
		for _, content := range asked {
			_, err := ParseMachine("m.yaml", []byte(content))
			_, list, _ := strings.Cut(err.Error(), "unknown key, allowed ")
			list, _, _ = strings.Cut(list, "\n")
			keys = append(keys, strings.Split(list, ", ")...)
		}
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			if properties[key] == nil {
				t.Errorf("the schema lacks %s in %q", key, path)
			}
		}
		for key := range properties {
			if !slices.Contains(keys, key) {
				t.Errorf("the schema has %s in %q, slurmlab has not", key, path)
			}
		}
	}
}

// "job requests for shards are required to fit on a single gpu on each node" (gres.html), and Slurm refuses GPUs beside shards
// (_foreach_job_state_validate of src/interfaces/gres.c).
func TestJobsWithPartsOfGPUs(t *testing.T) {
	m, err := ParseMachine("m.yaml", []byte("groups:\n  - {name: a, count: 2, cores: 8, gpus: {a100: 2}, shards: 7}\n  - {name: b, count: 1, cores: 8, gpus: 2, mps: 200}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gpus int
		o    Options
		want string
	}{
		{0, Options{Shards: 4}, ""},
		{0, Options{Shards: 5}, "nodes: got nodes with cores_per_node=1 with shards=5, allowed those"},
		{0, Options{MPS: 100}, ""},
		{0, Options{MPS: 101}, "nodes: got nodes with cores_per_node=1 with mps=101, allowed those"},
		{1, Options{Shards: 1}, "shards: got 1, allowed 0 beside gpus_max=1"},
		{0, Options{Shards: 1, MPS: 1}, "mps: got 1, allowed 0 beside shards=1"},
		{0, Options{Shards: 1, GPUType: "a100"}, `gpu_type: got "a100", allowed none unless`},
	} {
		j := Job{ID: 1, Runtime: 60, Limit: 60, Nodes: 1, Cores: 1, CoresPerNode: 1, GPUsMin: c.gpus, GPUsMax: c.gpus, Class: "a", Options: c.o}
		errs := j.Validate(m)
		if (len(errs) == 0) != (c.want == "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, errs, c.want)
		}
	}
	err = CheckShared("policy auction", m, []Job{{ID: 1}, {ID: 7, Options: Options{Shards: 2}}})
	want := "workload: policy auction has an agent, which is not told on which GPUs of n[1-2],n[3-3] parts are free, and 1 of 2 jobs ask for parts: job 7 has shards=2; allowed are policies of Slurm's own"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err = CheckShared("policy auction", m, []Job{{ID: 1, GPUsMin: 1, GPUsMax: 1}}); err != nil {
		t.Errorf("whole GPUs: %v", err)
	}
}
