package interchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// campus has nodes, partitions, features and types of GPUs that differ.
func campus(t *testing.T) interchange.ImportOptions {
	t.Helper()
	return interchange.ImportOptions{Resource: interchange.Core, Machine: machine(t, `name: campus
groups:
  - {name: thin, count: 8, cores: 16, memory: 64GiB, features: [ib]}
  - {name: volta, count: 4, cores: 32, memory: 256GiB, gpus: {v100: 4}, features: [ib, gpu]}
  - {name: ampere, count: 2, cores: 64, memory: 512GiB, gpus: {a100: 8}, features: [gpu]}
partitions:
  - {name: batch, groups: [thin, volta], default: true}
  - {name: gpu, groups: [volta, ampere]}
`)}
}

func machine(t *testing.T, text string) workloads.Machine {
	t.Helper()
	file := filepath.Join(t.TempDir(), "machine.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := workloads.LoadMachine(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Slurm kills a job up to a minute after its time limit. So a job of the longest limit of its partition may be
// recorded as one that completed at it or later. It keeps that limit, above which Slurm refuses jobs. Limits that the
// trace does not have are not above it, either. A limit that an administrator raised has no such bound.
func TestLongestLimit(t *testing.T) {
	o := interchange.ImportOptions{Machine: machine(t, `name: short
groups:
  - {name: thin, count: 2, cores: 4}
partitions:
  - {name: short, groups: [thin], default: true, max_time: 10m}
  - {name: long, groups: [thin]}
`)}
	const head = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|Partition\n"
	s := wantRows(t, "sacct", head+
		"1|COMPLETED|1000|1000|1600|10|1|4|short\n"+
		"2|FAILED|1000|1000|1631|10|1|4|short\n"+
		"3|COMPLETED|1000|1000|1631|10|1|4|long\n"+
		"4|COMPLETED|1000|1000|1590||1|4|short\n"+
		"5|CANCELLED by 7|1000|None|1100||1|4|short\n", o,
		"1,0,599,600,1,4,4,0,0,0,type3,completed,0,short",
		"2,0,599,600,1,4,4,0,0,0,type3,failed,0,short",
		"3,0,631,720,1,4,4,0,0,0,type3,completed,0,long",
		"4,0,590,600,1,4,4,0,0,0,type3,completed,0,short",
		"5,0,0,600,1,4,4,0,0,0,type3,cancelled_pending,100,short")
	before := o.Machine
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, "2 that reached the longest time limit that they may have run a second less than it") {
		t.Error(got)
	}
	// MaxWall of a QOS is such a limit as well.
	o.Machine = machine(t, `name: walled
groups:
  - {name: thin, count: 2, cores: 4}
partitions:
  - {name: short, groups: [thin], default: true, max_time: 20m}
qos:
  - {name: debug, limits: {MaxWall: 10m}}
`)
	wantRows(t, "sacct", strings.ReplaceAll(head, "\n", "|QOS\n")+"1|COMPLETED|1000|1000|1600|10|1|4|short|debug\n", o, "1,0,599,600,1,4,4,0,0,0,type3,short,debug")
	o.Machine = before
	_, _, err := importText("sacct", head+"6|COMPLETED|1000|1000|1700|10|1|4|short\n", o)
	if err == nil || !strings.Contains(err.Error(), "limit_s: got 780, allowed 1..600 (max_time of partition short)") {
		t.Error(err)
	}
}

const optionsHeader = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|ReqMem|ReqTRES|AllocTRES|Partition|Constraints\n"

// What a job asked for beside nodes, cores and GPUs is taken over where the machine has such things. Memory is ReqMem
// in the forms of Slurm before and since 21.08, or ReqTRES without it. The type of GPUs is the one that was asked
// for, not the one that the job got. Features and all partitions are taken over as well.
func TestSacctOptions(t *testing.T) {
	const ran = "|COMPLETED|1000|1000|1060|10|"
	text := optionsHeader +
		"1" + ran + "2|8|4000Mn|||batch|ib\n" +
		"2" + ran + "2|8|4Gc|||batch,gpu|ib&gpu\n" +
		"3" + ran + "2|8|8000M|||gpu|\n" +
		"4" + ran + "2|7|7001M|||batch|\n" +
		"5" + ran + "1|4||cpu=4,mem=10G,gres/gpu=2,gres/gpu:a100=2|cpu=4,mem=12G,gres/gpu=2|gpu|\n" +
		"6" + ran + "1|4|0n|cpu=4,gres/gpu=1|cpu=4,mem=256G,gres/gpu=1,gres/gpu:v100=1|gpu|\n" +
		"7" + ran + "1|4|2147486648Mn|||batch|\n" +
		"8" + ran + "1|4|1G|||batch|[rack1*2]\n" +
		"9|CANCELLED by 7|1000|None|1100|10|2|0|16Gn|cpu=8,mem=32G,node=2||gpu|\n"
	s := wantRows(t, "sacct", text, campus(t),
		"1,0,60,600,2,8,4,0,0,0,type3,completed,0,batch,4000,0,ib,",
		"2,0,60,600,2,8,4,0,0,0,type3,completed,0,batch&gpu,0,4096,ib&gpu,",
		"3,0,60,600,2,8,4,0,0,0,type3,completed,0,gpu,4000,0,,",
		"4,0,60,600,2,7,0,0,0,0,type2,completed,0,batch,0,1001,,",
		"5,0,60,600,1,4,4,2,2,0,gpu2,completed,0,gpu,10240,0,,a100",
		"6,0,60,600,1,4,4,1,1,0,gpu1,completed,0,gpu,0,0,,",
		"7,0,60,600,1,4,4,0,0,0,type3,completed,0,batch,0,3000,,",
		"8,0,60,600,1,4,4,0,0,0,type3,completed,0,batch,1024,0,,",
		"9,0,0,600,2,8,4,0,0,0,type3,cancelled_pending,100,gpu,16384,0,,")
	want := []string{
		"records: 9 read, 9 jobs",
		"outcomes: 8 completed, 1 cancelled_pending",
		"ignored: memory of 1 jobs; features of 1 jobs",
	}
	if got := s.Text(); !reflect.DeepEqual(got, want) {
		t.Errorf("text %q\nwant %q", got, want)
	}
	// A machine of equal nodes has nothing of all that.
	s = wantRows(t, "sacct", optionsHeader+"2"+ran+"2|8|4Gc|cpu=8,gres/gpu:a100=2||batch|ib&gpu\n", optionsS(), "2,0,60,600,2,8,4,1,1,0,gpu1")
	if got := s.Text()[1]; got != "ignored: memory of 1 jobs; features of 1 jobs; types of GPUs of 1 jobs" {
		t.Error(got)
	}
}

// A job names several partitions until it starts, in Partition or on the line of sbatch. It keeps those that the machine has.
func TestSacctPartitions(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|ReqTRES|Partition|SubmitLine\n"
	const ran, rest = "|COMPLETED|1000|1010|1060|10|1|4|cpu=4|", ",0,50,600,1,4,4,0,0,0,type3,completed,0,"
	s := wantRows(t, "sacct", header+
		"1"+ran+"gpu|sbatch -p batch,gpu a.sh\n"+
		"2"+ran+"gpu|sbatch --partition batch,old,gpu a.sh\n"+
		"3"+ran+"gpu|sbatch -pbatch,old a.sh\n"+ // Somebody moved the job, or the option is the script's.
		"4"+ran+"gpu|sbatch --partition='gpu' a.sh -p 1,2\n"+
		"5"+ran+"batch|sbatch a.sh\n"+
		"6|CANCELLED by 7|1000|None|1100|10|1|0|cpu=4,node=1|old,gpu,batch|\n",
		campus(t),
		"1"+rest+"batch&gpu", "2"+rest+"batch&gpu", "3"+rest+"gpu", "4"+rest+"gpu", "5"+rest+"batch",
		"6,0,0,600,1,4,4,0,0,0,type3,cancelled_pending,100,gpu&batch")
	if text := strings.Join(s.Text(), "\n"); !strings.Contains(text, "ignored: some partitions of 2 jobs, which can start in their others: the machine does not have old") {
		t.Error(text)
	}
	// OLD=NEW is for each of the names.
	o := campus(t)
	o.Partitions = map[string]string{"old": "batch"}
	wantRows(t, "sacct", header+"2"+ran+"gpu|sbatch --partition batch,old,gpu a.sh\n3"+ran+"gpu|sbatch -p old,gpu a.sh\n", o,
		"2,0,50,600,1,4,4,0,0,0,type3,batch&gpu", "3,0,50,600,1,4,4,0,0,0,type3,batch&gpu")
}

// A job keeps its segment if the machine has blocks that it fits into, and is counted otherwise. SegmentSize is before the line of sbatch, in
// which words behind the script are not sbatch's.
func TestSacctSegments(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|SegmentSize|SubmitLine\n"
	const ran, rest = "|COMPLETED|1000|1010|1060|10|8|8|", ",0,50,600,8,8,1,0,0,0,type3"
	dump := header +
		"1" + ran + "4|sbatch --segment=2 a.sh\n" +
		"2" + ran + "0|sbatch a.sh --segment=2\n" +
		"3" + ran + "|sbatch --segment 2 -N8 a.sh\n" +
		"4" + ran + "|sbatch --segments a.sh --segment=none\n" +
		"5" + ran + "3|sbatch -N6-9 --segment=3 a.sh\n" + // Slurm may choose a number of nodes of which it is no divisor.
		"6" + ran + "16|\n"
	blocks := interchange.ImportOptions{Resource: interchange.Core, Machine: machine(t, "name: b\nnodes: 16\ncores: 8\nblocks: {nodes: 4}\n")}
	s := wantRows(t, "sacct", dump, blocks, "1"+rest+",4", "2"+rest+",0", "3"+rest+",2", "4"+rest+",0", "5"+rest+",0", "6"+rest+",16")
	const ignored = "ignored: segments (--segment), for which the machine has no blocks or no fitting ones, of %d jobs"
	if got, want := strings.Join(s.Text(), "\n"), fmt.Sprintf(ignored, 1); !strings.Contains(got, want) {
		t.Error(got)
	}
	s = wantRows(t, "sacct", dump, optionsS(), "1"+rest, "2"+rest, "3"+rest, "4"+rest, "5"+rest, "6"+rest)
	if got, want := strings.Join(s.Text(), "\n"), fmt.Sprintf(ignored, 4); !strings.Contains(got, want) {
		t.Error(got)
	}
	// A size factor may leave nodes of which the segment is no divisor.
	blocks.Rescale.SizeFactor = 0.75
	wantRows(t, "sacct", header+"1"+ran+"4|\n2"+ran+"3|\n", blocks, "1,0,50,600,6,6,1,0,0,0,type3,0", "2,0,50,600,6,6,1,0,0,0,type3,3")
	wantFaults(t, "sacct", header+"1"+ran+"65536|\n", blocks, `t:2: SegmentSize: got "65536", allowed a whole number in 0..65535`)
}

// A job keeps its --switches, which the line of sbatch has alone, if the machine has a tree with as many nodes below as few leaf switches. Its time
// (sbatch(1), "--switches=COUNT[@TIME]") is counted, as Slurm's max_switch_wait holds in its place.
func TestSacctSwitches(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|SubmitLine\n"
	const ran, rest = "|COMPLETED|1000|1010|1060|10|4|4|", ",0,50,600,4,4,1,0,0,0,type3"
	dump := header +
		"1" + ran + "sbatch --switches=1 a.sh\n" +
		"2" + ran + "sbatch --switches 2@1:00:00 a.sh\n" +
		"3" + ran + "sbatch a.sh --switches=none\n" +
		"4" + ran + "sbatch --switches=1@0 -N4 a.sh\n" +
		"5|COMPLETED|1000|1010|1060|10|5|5|sbatch --switches=1 a.sh\n" + // More nodes than a leaf switch has.
		"6" + ran + "sbatch a.sh\n"
	tree := interchange.ImportOptions{Resource: interchange.Core, Machine: machine(t, "name: t\nnodes: 16\ncores: 8\nswitches: {nodes: 4}\n")}
	const five = "5,0,50,600,5,5,1,0,0,0,type3"
	s := wantRows(t, "sacct", dump, tree, "1"+rest+",1", "2"+rest+",2", "3"+rest+",0", "4"+rest+",1", five+",0", "6"+rest+",0")
	const lacking, times = "switches (--switches), which the machine lacks or which have too few nodes, of %d jobs", "times of --switches, in the place of which max_switch_wait counts, of 2 jobs"
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, fmt.Sprintf(lacking, 1)) || !strings.Contains(got, times) {
		t.Error(got)
	}
	s = wantRows(t, "sacct", dump, optionsS(), "1"+rest, "2"+rest, "3"+rest, "4"+rest, five, "6"+rest)
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, fmt.Sprintf(lacking, 4)) || strings.Contains(got, "times of") {
		t.Error(got)
	}
}

// Shards and MPS count for each node. On a machine without them, jobs get whole GPUs; without GPUs they lose them. Both are counted.
func TestSacctPartsOfGPUs(t *testing.T) {
	const text = optionsHeader +
		"1|COMPLETED|1000|1000|1060|10|2|4||cpu=4,gres/shard=6|cpu=4,gres/shard=6||\n" +
		"2|COMPLETED|1000|1000|1060|10|1|4|||cpu=4,gres/shard=2||\n" +
		"3|COMPLETED|1000|1000|1060|10|1|4|||cpu=4,gres/gpu=1,gres/shard=4||\n"
	of := func(group string) interchange.ImportOptions {
		return interchange.ImportOptions{Machine: machine(t, "name: m\ngroups:\n  - "+group+"\n")}
	}
	wantRows(t, "sacct", text, of("{name: g, count: 4, cores: 8, gpus: 2, shards: 8}"),
		"1,0,60,600,2,4,2,0,0,0,type3,3", "2,0,60,600,1,4,4,0,0,0,type3,2", "3,0,60,600,1,4,4,1,1,0,gpu1,0")
	s := wantRows(t, "sacct", text, of("{name: g, count: 4, cores: 8, gpus: 2}"),
		"1,0,60,600,2,4,2,1,1,0,gpu1", "2,0,60,600,1,4,4,1,1,0,gpu1", "3,0,60,600,1,4,4,1,1,0,gpu1")
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, "ignored: fractions of GPUs, which became whole ones, of 2 jobs") {
		t.Error(got)
	}
	const part = optionsHeader + "2|COMPLETED|1000|1000|1060|10|1|4|||cpu=4,gres/mps=50||\n"
	s = wantRows(t, "sacct", part, of("{name: c, count: 4, cores: 8}"), "2,0,60,600,1,4,4,0,0,0,type3")
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, "ignored: parts of GPUs (shards, MPS) of 1 jobs") {
		t.Error(got)
	}
	wantFaults(t, "sacct", optionsHeader+"2|COMPLETED|1000|1000|1060|10|1|4|||cpu=4,gres/shard=x||\n", of("{name: g, count: 4, cores: 8, gpus: 2, shards: 8}"),
		`t:2: AllocTRES: got "cpu=4,gres/shard=x", allowed a whole number of gres/shard`)
}

// What the machine has, but not with this name or of this size, is a fault.
func TestSacctOptionFaults(t *testing.T) {
	const ran = "|COMPLETED|1000|1000|1060|10|"
	wantFaults(t, "sacct", optionsHeader+
		"1"+ran+"1|4|much|||batch|\n"+
		"3"+ran+"1|4|100Gn|||batch|[ib]\n"+
		"4"+ran+"1|4|900Gn|||batch|\n"+
		"5"+ran+"1|4||mem=x||batch|\n"+
		"6"+ran+"1|4||mem||batch|\n"+
		"7"+ran+"1|4|1Gn|gres/gpu:k80=1||gpu|\n", campus(t),
		`t:2: ReqMem: got "much", allowed a number, perhaps K, M, G, T or P, and perhaps n or c`,
		`t:4: job 4: nodes: got nodes with cores_per_node=4 with mem_per_node=921600, allowed those that are in service in partition batch of machine campus: there is none`,
		`t:5: ReqTRES: got "mem=x", allowed mem with a number and perhaps K, M, G, T or P`,
		`t:6: ReqTRES: got "mem", allowed name=value pairs separated by commas`,
		`t:7: job 7: gpu_type: got "k80", allowed v100, a100 (of machine campus)`)
}

// Memory is spread with the nodes, and stays for each node where there are more of them.
func TestSpreadMemory(t *testing.T) {
	o := campus(t)
	o.Rescale.Fit = true
	wantRows(t, "sacct", optionsHeader+"1|COMPLETED|1000|1000|1060|10|1|128|64Gn|||gpu|\n", o, "1,0,60,600,2,128,64,0,0,0,type3,gpu,32768")
	o.Rescale = interchange.Rescale{SizeFactor: 2}
	wantRows(t, "sacct", optionsHeader+"1|COMPLETED|1000|1000|1060|10|1|16|64Gn||||\n", o, "1,0,60,600,2,32,16,0,0,0,type3,65536")
}

// The words of a partition that a machine file does not have, and of memory where none is
// scheduled, tell no nodes apart.
func TestHas(t *testing.T) {
	m := machine(t, "name: m\ngroups: [{name: a, count: 2, cores: 4, features: [ib]}]\n")
	if got, want := m.Has(), (workloads.Distinctions{Features: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := campus(t).Machine.Has(), (workloads.Distinctions{Partitions: true, Memory: true, Features: true, GPUTypes: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (workloads.Machine{Name: "m", Nodes: 2, Cores: 4}).Has(); got != (workloads.Distinctions{}) {
		t.Errorf("got %+v", got)
	}
}

// Jobs of partitions that the machine does not have are left out, with their names, unless the
// options say which partition of the machine theirs is.
func TestAbsentPartitions(t *testing.T) {
	const ran = "|COMPLETED|1000|1000|1060|10|"
	text := optionsHeader + "1" + ran + "1|4||||batch|\n" + "2" + ran + "1|4||||knl|\n" + "3" + ran + "1|4||||old-gpu|\n"
	o := campus(t)
	s := wantRows(t, "sacct", text, o, "1,0,60,600,1,4,4,0,0,0,type3,batch")
	if got, want := s.Text()[0], "records: 3 read, 1 jobs, 2 left out (in partitions that the machine does not have: knl, old-gpu)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	o.Partitions = map[string]string{"old-gpu": "gpu"}
	s = wantRows(t, "sacct", text, o, "1,0,60,600,1,4,4,0,0,0,type3,batch", "3,0,60,600,1,4,4,0,0,0,type3,gpu")
	if got, want := s.Text(), "chosen: partition old-gpu is gpu"; got[len(got)-1] != want {
		t.Errorf("got %q, want %s", got, want)
	}
	o.Partitions = map[string]string{"knl": "focaccia"}
	wantFaults(t, "sacct", text, o, `partition: got "focaccia" for "knl", allowed batch, gpu (of machine campus)`)
	o.Machine = optionsS().Machine
	wantFaults(t, "sacct", text, o, `partition: has no effect, as machine S has no partitions of its own; leave it out`)
}

// SWF has numbers of partitions ("partition number"): they count if the options say which partitions they are.
func TestNumbersOfPartitions(t *testing.T) {
	line := func(id int, partition string) string {
		return fmt.Sprintf("%d %d 0 60 4 -1 -1 4 600 -1 1 7 -1 -1 -1 %s -1 -1\n", id, id, partition)
	}
	text := line(1, "1") + line(2, "2") + line(3, "-1")
	o := campus(t)
	s := wantRows(t, "swf", text, o, "1,0,60,600,0,4,0,0,0,0,type1,user7", "2,1,60,600,0,4,0,0,0,0,type1,user7", "3,2,60,600,0,4,0,0,0,0,type1,user7")
	if got, want := s.Text()[1], "ignored: 2 partitions"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	o.Partitions = map[string]string{"2": "gpu"}
	s = wantRows(t, "swf", text, o, "2,1,60,600,0,4,0,0,0,0,type1,user7,gpu", "3,2,60,600,0,4,0,0,0,0,type1,user7,")
	if got, want := s.Text()[0], "records: 3 read, 2 jobs, 1 left out (in partitions that the machine does not have: 1)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// NCPUS of sacct counts threads. The job gets their cores: of the nodes that have so many CPUs
// in its partition, those with the fewest threads count.
func TestThreads(t *testing.T) {
	o := interchange.ImportOptions{Resource: interchange.Core, Machine: machine(t, `name: smt
groups:
  - {name: thin, count: 4, cores: 16, threads: 2, memory: 64GiB}
  - {name: plain, count: 4, cores: 16, memory: 64GiB}
  - {name: power, count: 2, cores: 8, threads: 4, memory: 64GiB}
partitions:
  - {name: thin, groups: [thin], default: true}
  - {name: mixed, groups: [plain, power]}
`)}
	const ran = "|COMPLETED|1000|1000|1060|10|"
	s := wantRows(t, "sacct", optionsHeader+
		"1"+ran+"2|64|1Gc|||thin|\n"+ // two full nodes
		"2"+ran+"1|3|||||\n"+ // a core and a half
		"3"+ran+"2|7|||||\n"+
		"4"+ran+"1|16|1Gc|||mixed|\n"+ // a plain node has as many
		"5"+ran+"1|32|1Gc|||mixed|\n"+ // a node of the other kind alone has
		"6|CANCELLED by 7|1000|None|1100|10|2|64||||thin|\n", o,
		"1,0,60,600,2,32,16,0,0,0,type3,completed,0,thin,2048",
		"2,0,60,600,1,2,2,0,0,0,type3,completed,0,,0",
		"3,0,60,600,2,4,2,0,0,0,type3,completed,0,,0",
		"4,0,60,600,1,16,16,0,0,0,type3,completed,0,mixed,1024",
		"5,0,60,600,1,8,8,0,0,0,type3,completed,0,mixed,4096",
		"6,0,0,600,2,32,16,0,0,0,type3,cancelled_pending,100,thin,0")
	if got, want := s.Text()[2], "adjusted: 5 whose CPUs are threads got the whole cores of these"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// No node is large enough.
	wantFaults(t, "sacct", optionsHeader+"1"+ran+"1|66|||||\n", o,
		"t:2: job 1: nodes: got nodes with cores_per_node=33, allowed those that are in service in partition thin of machine smt: there is none",
		"t: machine smt is too small: the jobs need at least 1 nodes of 33 cores: give --machine a file with nodes: 1, cores: 33, or let --fit spread and --size-factor shrink the jobs")
}

// Jobs are charged to the accounts of a record beside its users, and begin no earlier than they were eligible. Dependencies, and
// a single QOS, which may have limits, are counted.
func TestHeldBack(t *testing.T) {
	const header = "JobID|State|Submit|Eligible|Start|End|Timelimit|NNodes|NCPUS|User|Account|QOS\n"
	s := wantRows(t, "sacct", header+
		"1|COMPLETED|1000|1001|1060|1120|10|1|4|eve|astro|normal\n"+
		"2|COMPLETED|1000|4600|4700|4760|10|1|4|eve|bio|normal\n"+
		"3|CANCELLED by 7|1000|Unknown|None|8200|10|1|4|eve|astro|\n", optionsS(),
		"1,0,60,600,1,4,4,0,0,0,type3,eve,completed,0,astro,0", "2,0,60,600,1,4,4,0,0,0,type3,eve,completed,0,bio,3600",
		"3,0,0,600,1,4,4,0,0,0,type3,eve,cancelled_pending,7200,astro,0")
	want := []string{"ignored: 1 QOS, which may have limits; what held back 1 jobs after their submission until they were Eligible (dependencies, or never), 2.0 hours in sum",
		"users: 1", "accounts: 2"}
	if got := s.Text()[2:]; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	// A dependency is no begin time; a hold is one.
	s = wantRows(t, "sacct", "JobID|State|Submit|Eligible|Start|End|Timelimit|NNodes|NCPUS|Reason\n"+
		"1|COMPLETED|1000|2000|2060|2120|10|1|4|BeginTime\n"+
		"2|COMPLETED|1000|2000|2060|2120|10|1|4|Dependency\n"+
		"3|COMPLETED|1000|2000|2060|2120|10|1|4|JobHeldUser\n", optionsS(),
		"1,0,60,600,1,4,4,0,0,0,type3,1000", "2,0,60,600,1,4,4,0,0,0,type3,0", "3,0,60,600,1,4,4,0,0,0,type3,1000")
	if got, want := s.Text()[1], "ignored: what held back 1 jobs after their submission until they were Eligible (dependencies, or never), 0.3 hours in sum"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// Names that no Slurm account can have become those that one can.
	s = wantRows(t, "sacct", "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|User|Account\n1|COMPLETED|1000|1060|1120|10|1|4|eve|Äs tro\n", optionsS(),
		"1,0,60,600,1,4,4,0,0,0,type3,eve,_s_tro-bb606a88")
	if got := s.Text()[2]; !strings.HasPrefix(got, "accounts: 1; 1 renamed to what a Slurm account can be called") {
		t.Errorf("got %s", got)
	}
	// Without User the account is the user, and nothing is lost.
	s = wantRows(t, "sacct", "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|Account\n1|COMPLETED|1000|1060|1120|10|1|4|astro\n", optionsS(), "1,0,60,600,1,4,4,0,0,0,type3,astro")
	if got := s.Text(); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// Empty lines, as at the end of a file that was edited, are no records.
func TestBlankLines(t *testing.T) {
	o := interchange.ImportOptions{Machine: workloads.Machine{Name: "P", Nodes: 4, Cores: 8, GPUs: 8}}
	wantRows(t, "philly", phillyHeader+"\n2017-10-09 07:01:55,66.0,1,66.0,a\n  \n", o, "2,0,66,240,1,1,1,1,1,0,gpu1")
	wantRows(t, "sacct", "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS\n\n1|COMPLETED|1000|1060|1120|10|1|4\n\n\n2|COMPLETED|1000|1060|1120|10|1|4\n\n", optionsS(),
		"1,0,60,600,1,4,4,0,0,0,type3", "2,0,60,600,1,4,4,0,0,0,type3")
}

// Licences and reservations of the record are taken over if the machine has them; others are counted. Licences of
// which one is enough are no licences of a workload.
func TestSacctLicencesAndReservations(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|Licenses|Reservation\n"
	const ran = "|COMPLETED|1000|1060|1120|10|1|4|"
	o := interchange.ImportOptions{Resource: interchange.Core, Machine: machine(t, `name: shared
groups:
  - {name: thin, count: 8, cores: 16}
licenses: {matlab: 4, ansys: 1}
reservations:
  - {name: course, nodes: n6, duration: 3h}
`)}
	s := wantRows(t, "sacct", header+
		"1"+ran+"matlab:2,ansys|course\n"+
		"2"+ran+"idl:1|spring\n"+
		"3"+ran+"matlab:1;ansys:1|\n"+
		"4"+ran+"|\n", o,
		"1,0,60,600,1,4,4,0,0,0,type3,matlab:2&ansys:1,course", "2,0,60,600,1,4,4,0,0,0,type3,,",
		"3,0,60,600,1,4,4,0,0,0,type3,,", "4,0,60,600,1,4,4,0,0,0,type3,,")
	if got, want := s.Text()[1], "ignored: licences of 2 jobs; 1 reservation that the machine does not have: spring"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	wantFaults(t, "sacct", header+"1"+ran+"matlab:5|\n", o, `t:2: job 1: licenses: got "matlab:5", allowed up to matlab:4 (licenses of machine shared)`)
}

// A job has the QOS of its record if the machine has it, and otherwise the default one of its account, which is counted with
// the names that are missing. What Slurm would refuse is a fault of the record: a QOS that the account may not have
// ("Invalid qos specification"), and a limit of the user.
func TestSacctQOS(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|User|Account|QOS\n"
	const ran = "|COMPLETED|1000|1060|1120|10|1|4|"
	o := interchange.ImportOptions{Resource: interchange.Core, Machine: machine(t, `name: shared
groups:
  - {name: thin, count: 8, cores: 16}
qos:
  - {name: debug}
  - {name: long}
accounts:
  - {name: astro, qos: [normal, debug], users: [{name: eve}, {name: bob, limits: {MaxTRESPerJob: {cpu: 2}}}]}
`)}
	s := wantRows(t, "sacct", header+
		"1"+ran+"eve|astro|debug\n"+
		"2"+ran+"eve|astro|normal\n"+
		"3"+ran+"eve|astro|gpu\n"+
		"4"+ran+"ada|bio|long\n"+
		"5"+ran+"eve|astro|\n", o,
		"1,0,60,600,1,4,4,0,0,0,type3,eve,astro,debug", "2,0,60,600,1,4,4,0,0,0,type3,eve,astro,normal", "3,0,60,600,1,4,4,0,0,0,type3,eve,astro,",
		"4,0,60,600,1,4,4,0,0,0,type3,ada,bio,long", "5,0,60,600,1,4,4,0,0,0,type3,eve,astro,")
	if got, want := s.Text()[1], "ignored: 1 QOS that the machine does not have, whose jobs get the default one: gpu"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	wantFaults(t, "sacct", header+"1"+ran+"eve|astro|long\n"+"2"+ran+"bob|astro|debug\n", o,
		`t:2: job 1: qos: got "long", allowed normal, debug (of account astro)`,
		"t:3: job 2: cores: got cpu=4 in all, allowed up to 2 (MaxTRESPerJob of user bob of account astro)")
	// The machine has no QOS of its own: normal is no name of its file, either.
	s = wantRows(t, "sacct", header+"1"+ran+"eve|astro|normal\n", campus(t), "1,0,60,600,1,4,4,0,0,0,type3,eve,astro")
	if got, want := s.Text()[1], "ignored: 1 QOS, which may have limits"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
