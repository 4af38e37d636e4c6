package interchange_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// SWF 2.2, "The Data Fields": -1 is unknown, and times may have fractions. Status 5 is cancelled, 2 to 4 are bursts
// of a job that has a summary line of its own.
const swf = `; Version: 2.2
; Computer: Test
; MaxProcs: 1024

 3	10.5 10 60 4 -1 -1 8 120 -1 1 1 1 1 1 1 -1 -1
1 15 0 0 -1 -1 -1 8 120 -1 5 1 1 1 1 1 -1 -1
2 17 0 -1 -1 -1 -1 8 120 -1 0 1 1 1 1 1 -1 -1
5 20 3 99.6 16 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1
5 20 3 40 16 -1 -1 -1 -1 -1 2 1 1 1 1 1 -1 -1
6 21 0 0 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1
`

func swfRows() []string {
	return []string{
		// Requested processors come before allocated ones.
		"3,0,60,120,0,8,0,0,0,0,type1,user1",
		"5,9,100,300,0,16,0,0,0,0,type1,user1",
		// "a run time of 0 is possible and means the job ran for less than 0.5 seconds"
		"6,10,1,60,0,1,0,0,0,0,type1,user1",
	}
}

func TestSWF(t *testing.T) {
	s := wantRows(t, "swf", swf, optionsS(), swfRows()...)
	want := []string{
		"trace: Computer Test; MaxProcs 1024; not kept of the header: 1 comment (Version)",
		"records: 6 read, 3 jobs, 2 left out (never ran), 1 left out (parts of checkpointed jobs)",
		"adjusted: 1 without a time limit got 1.5 run times and 2 minutes; 1 whose allocated processors are not those requested got the latter",
		"users: 1; number N of the trace is userN",
	}
	if got := s.Origin()[1:]; !reflect.DeepEqual(got, want) {
		t.Errorf("origin %q, want %q", got, want)
	}
}

// SWF 2.2, "Header Comments": "; Label: Value"; "Note" may be there several times, and a site may write other lines. What the record of the
// import has not, it names.
func TestSWFHeader(t *testing.T) {
	const job = "1 0 0 60 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n"
	for _, c := range []struct{ header, want string }{
		{"; Version: 2.2\n;\n; ----\n; Note:\n; Note: cleaned\n; Note: twice\n;Queue: 1 short queue\n; see http: //x\n; some text\n", `not kept of the header: 6 comments (Note, Queue, Version, "see http"), 1 of them without a key`},
		{"; some text\n", "not kept of the header: 1 comment, 1 of them without a key"},
		{"; Computer: C\n; MaxProcs: 4\n", "Computer C; MaxProcs 4"},
		{"; Computer: " + strings.Repeat("C", 201) + "\n", "not kept of the header: 1 comment (Computer)"},
		{strings.Repeat("; Computer: C\n", 13), strings.Repeat("Computer C; ", 12) + "not kept of the header: 1 comment (Computer)"},
	} {
		if s := wantRows(t, "swf", c.header+job, optionsS(), "1,0,60,120,0,4,0,0,0,0,type1,user1"); strings.Join(s.Trace, "; ") != c.want {
			t.Errorf("%q: %q, want %q", c.header, s.Trace, c.want)
		}
	}
}

// The same trace in the shapes that files come in.
func TestShapesOfFiles(t *testing.T) {
	for name, text := range map[string]string{
		"CR LF": strings.ReplaceAll(swf, "\n", "\r\n"), "gzip": zipped(t, swf), "no last line end": strings.TrimSuffix(swf, "\n"),
		"byte order mark": "\ufeff" + swf, "two gzip members": zipped(t, swf[:40]) + zipped(t, swf[40:]),
	} {
		t.Run(name, func(t *testing.T) { wantRows(t, "swf", text, optionsS(), swfRows()...) })
	}
}

func TestBadSWF(t *testing.T) {
	const good = "1 0 0 60 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n"
	bad := "; Version: 2.2\n" + good +
		"2 0 0 60 4 -1 -1 4\n" +
		strings.ReplaceAll(good, " ", ",") +
		"3 0 0 -5 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n" +
		"4 -1 0 60 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n" +
		"5 0 0 60 4 -1 -1 2000 120 -1 1 1 1 1 1 1 -1 -1\n" +
		good +
		"6 0 0 60 x -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n" +
		"7 0 0 60 -1 -1 -1 -1 120 -1 1 1 1 1 1 1 -1 -1\n" +
		"8 0 0 1e9 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n" +
		"9 0 0 NaN 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n" +
		"-1 0 0 60 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n"
	want := []string{
		"t:3: fields: got 8, allowed 18 separated by spaces",
		"t:4: fields: got 1, allowed 18 separated by spaces",
		`t:5: run time: got "-5", allowed a number from 0, or -1 for unknown`,
		`t:6: submit time: got "-1", allowed 0 or more seconds`,
		"t:7: job 5: cores: got 2000, allowed 1..1024 (all cores of machine S)",
		`t:8: job id: got "1", allowed each once`,
		`t:9: allocated processors: got "x", allowed a number from 0, or -1 for unknown`,
		"t:11: job 8: runtime_s: got 1000000000, allowed 1..31536000; job 8: limit_s: got 31536000, allowed runtime_s=1000000000..31536000",
		`t:12: run time: got "NaN", allowed a number from 0, or -1 for unknown`,
		`t:13: job id: got "-1", allowed a whole number in 1..999999999 (of sacct: JobIDRaw), or any with renumbering (--renumber)`,
	}
	const needs = "machine S is too small: the jobs need at least 250 nodes of 8 cores: " +
		"give --machine a file with nodes: 250, cores: 8, or let --fit spread and --size-factor shrink the jobs"
	wantFaults(t, "swf", bad, optionsS(), append(slices.Clone(want), "t: "+needs)...)

	o := optionsS()
	o.SkipBad = true
	s := wantRows(t, "swf", bad, o, "1,0,60,120,0,4,0,0,0,0,type1,user1")
	if s.Skipped != len(want) || !reflect.DeepEqual(s.Bad, want) {
		t.Errorf("skipped %d: %q", s.Skipped, s.Bad)
	}
	if s.LeftOut["processors unknown"] != 1 || !slices.Contains(s.Text(), needs) {
		t.Errorf("text %q", s.Text())
	}
	wantFaults(t, "swf", "", optionsS(), "t: jobs: got none, allowed at least one; records: 0 read, 0 jobs")
	wantFaults(t, "swf", zipped(t, swf)[:60], optionsS(), "t:1: unexpected EOF")
	wantFaults(t, "swf", strings.Repeat("1", 1<<20+1)+"\n"+good, optionsS(), "t:1: line: got more than 1048576 bytes, allowed 1048576")
}

// The faults of a file of another kind are counted, not all listed.
func TestManyFaults(t *testing.T) {
	_, _, err := importText("swf", strings.Repeat("x\n", 50), optionsS())
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 21 || lines[20] != "t: 30 more faults" {
		t.Errorf("%v", err)
	}
}

// sacct -X -P: names with line ends, suffixes of states, unknown times, arrays,
// GPUs with and without type.
const sacct = `JobID|JobIDRaw|JobName|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqTRES|AllocTRES|SubmitLine
7|7|two
lines|COMPLETED|2026-01-01T00:00:10|2026-01-01T00:01:00|2026-01-01T00:03:00|00:02:00|1-00:00:00|2|8|cpu=8,gres/gpu=4,node=2|billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=4G,node=2|sbatch
--wrap x
8_1|8|a|CANCELLED by 0|2026-01-01T00:00:00|Unknown|2026-01-01T00:02:00|00:00:00|UNLIMITED|1|1|cpu=1||x
8_2|9|a|FAILED|2026-01-01T00:00:20|2026-01-01T00:01:00|2026-01-01T00:01:30|00:00:30|Partition_Limit|1|3|cpu=3,gres/gpu:v100=2|cpu=3,gres/gpu:v100=2|x
10|10|r|RUNNING|2026-01-01T00:00:20|2026-01-01T00:01:00|Unknown|00:00:30|10:00|1|3|||x
10.batch|10.batch|r|COMPLETED|2026-01-01T00:00:20|2026-01-01T00:01:00|2026-01-01T00:01:30|00:00:30||1|3|||x
11|11|t|TIMEOUT|2026-01-01T00:00:30|2026-01-01T00:01:00|2026-01-01T00:02:20|00:01:20|00:01:00|3|7|cpu=7,node=3,gres/gpu=4||x
`

func sacctRows() []string {
	return []string{
		"7,10,120,86400,2,8,4,2,2,0,gpu2,completed,0,",
		"8,0,0,86400,1,1,1,0,0,0,type3,cancelled_pending,120,8",
		"9,20,30,180,1,3,3,2,2,0,gpu2,failed,0,8",
		"11,30,60,60,3,7,0,2,2,0,gpu2,timeout,0,",
	}
}

func TestSacct(t *testing.T) {
	s := wantRows(t, "sacct", sacct, optionsS(), sacctRows()...)
	want := []string{
		"records: 6 read, 4 jobs, 1 left out (not ended), 1 left out (job steps)",
		"outcomes: 1 completed, 1 failed, 1 timeout, 1 cancelled_pending",
		"adjusted: 1 without a time limit got 1.5 run times and 2 minutes; 1 cancelled while pending without a time limit got one of a day; " +
			"1 with uneven GPUs got as many on each node as on the fullest",
		"ignored: memory of 1 jobs; types of GPUs of 1 jobs",
	}
	if got := s.Text(); !reflect.DeepEqual(got, want) {
		t.Errorf("text %q, want %q", got, want)
	}
}

// How an import treats the ends of a real dump. Ends that users, programs and limits made are taken over. A job
// cancelled while it waited is taken over if its request is known. Slurm 24.11 has no number of CPUs for it and has
// them in ReqTRES.
func TestSacctOutcomes(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqTRES|AllocTRES\n"
	s := wantRows(t, "sacct", header+
		"1|FAILED|1000|1000|1060|00:01:00|10|1|4|cpu=4|cpu=4\n"+
		"2|OUT_OF_MEMORY|1000|1000|1060|00:01:00|10|1|4|cpu=4|cpu=4\n"+
		"3|CANCELLED by 380693|1000|1000|1060|00:01:00|10|1|4|cpu=4|cpu=4\n"+
		"4|CANCELLED by 7|1000|Unknown|1100|00:00:00|10|2|0|cpu=8,gres/gpu=2,node=2|\n"+
		"5|CANCELLED by 7|1000|1100|1100|00:00:00|10|1|8|cpu=8,node=1|billing=8,cpu=8,node=1\n"+
		"6|CANCELLED by 7|1000|None|1000|00:00:00|10|1|4|cpu=4|\n"+
		"7|CANCELLED by 7|1000|None|1100|00:00:00|10|1|0||\n"+
		"8|TIMEOUT|1000|1000|1625|00:10:25|10|1|4||\n"+
		"9|TIMEOUT|1000|1000|1625|00:10:25|20|1|4||\n"+
		"10|TIMEOUT|1000|1000|1025|00:00:25|UNLIMITED|1|4||\n"+
		"11|NODE_FAIL|1000|1000|1060|00:01:00|10|1|4||\n"+
		"12|PREEMPTED|1000|1000|1060|00:01:00|10|1|4||\n"+
		"13|DEADLINE|1000|None|1060|00:00:00|10|1|4||\n"+
		"14|COMPLETED|1000|1000|1060|00:01:00|10|1|4||\n", optionsS(),
		"1,0,60,600,1,4,4,0,0,0,type3,failed,0",
		"2,0,60,600,1,4,4,0,0,0,type3,out_of_memory,0",
		"3,0,60,600,1,4,4,0,0,0,type3,cancelled,0",
		"4,0,0,600,2,8,4,1,1,0,gpu1,cancelled_pending,100",
		"5,0,0,600,1,8,8,0,0,0,type3,cancelled_pending,100",
		"8,0,600,600,1,4,4,0,0,0,type3,timeout,0",
		"9,0,600,600,1,4,4,0,0,0,type3,timeout,0",
		"10,0,60,60,1,4,4,0,0,0,type3,timeout,0",
		"11,0,60,600,1,4,4,0,0,0,type3,failed,0",
		"12,0,60,600,1,4,4,0,0,0,type3,failed,0",
		"14,0,60,600,1,4,4,0,0,0,type3,completed,0")
	want := []string{
		"records: 14 read, 11 jobs, 2 left out (never ran), 1 left out (processors unknown)",
		"outcomes: 1 completed, 3 failed, 3 timeout, 1 cancelled, 2 cancelled_pending, 1 out_of_memory",
		"adjusted: 2 that ran into a time limit which is unknown or above the run time got one of the run time, in whole minutes",
		"ignored: how jobs ended (here they fail): 1 NODE_FAIL, 1 PREEMPTED",
	}
	if got := s.Text(); !reflect.DeepEqual(got, want) {
		t.Errorf("text %q\nwant %q", got, want)
	}
	wantFaults(t, "sacct", header+
		"1|CANCELLED|1000|Unknown|1100|00:00:00|10|x|4|cpu=8|\n"+
		"2|CANCELLED|1000|Unknown|1100|00:00:00|10|1|0|cpu|\n"+
		"3|CANCELLED|Unknown|Unknown|1100|00:00:00|10|1|4||\n", optionsS(),
		`t:2: NNodes: got "x", allowed a whole number from 0`,
		`t:3: ReqTRES: got "cpu", allowed name=value pairs separated by commas`,
		`t:4: Submit: got "Unknown", allowed YYYY-MM-DDTHH:MM:SS, Unix seconds, Unknown or None`)
}

// A window counts who waited when it began, also those who gave up later.
func TestWindowOfOutcomes(t *testing.T) {
	o := optionsS()
	o.Rescale.From = interchange.Moment{After: time.Minute}
	s := wantRows(t, "swf", "1 0 90 0 -1 -1 -1 4 120 -1 5 1 1 1 1 1 -1 -1\n2 0 50 0 -1 -1 -1 4 120 -1 5 1 1 1 1 1 -1 -1\n"+
		"3 60 30 0 -1 -1 -1 4 -1 -1 5 1 1 1 1 1 -1 -1\n4 60 -1 0 -1 -1 -1 4 120 -1 5 1 1 1 1 1 -1 -1\n", o,
		"3,0,0,86400,0,4,0,0,0,0,type1,user1,cancelled_pending,30")
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, "0 jobs that were running already, with 0.0 node-hours to go, and 1 that were waiting") ||
		!strings.Contains(got, "1 cancelled while pending without a time limit got one of a day") {
		t.Error(got)
	}
}

// The load of a trace alone: what ran completes, what never ran is left out, and arrivals
// count from the first job that ran.
func TestAllComplete(t *testing.T) {
	o := optionsS()
	o.AllComplete = true
	s := wantRows(t, "sacct", sacct, o, "7,0,120,86400,2,8,4,2,2,0,gpu2,", "9,10,30,180,1,3,3,2,2,0,gpu2,8", "11,20,80,180,3,7,0,2,2,0,gpu2,")
	want := []string{
		"records: 6 read, 3 jobs, 1 left out (never ran), 1 left out (not ended), 1 left out (job steps)",
		"adjusted: 1 without a time limit got 1.5 run times and 2 minutes; 1 that reached their time limit got one a minute above the run time; " +
			"1 with uneven GPUs got as many on each node as on the fullest",
		"ignored: memory of 1 jobs; types of GPUs of 1 jobs; how jobs ended (here all complete): 1 FAILED, 1 TIMEOUT",
	}
	if got := s.Text(); !reflect.DeepEqual(got, want) {
		t.Errorf("text %q, want %q", got, want)
	}
	wantRows(t, "helios", strings.Replace(helios, "4,16,1", "1,4,1", 1), o,
		"1425511,0,36848,55440,1,1,1,1,1,0,gpu1,"+hashed("uxbbc", "uXBbc"), "1425512,26,249,540,1,4,4,1,1,0,gpu1,"+hashed("uvmrf", "uVMrF"))
	wantRows(t, "swf", "1 0 10 0 4 -1 -1 4 120 -1 5 1 1 1 1 1 -1 -1\n2 9 0 60 4 -1 -1 4 120 -1 5 1 1 1 2 1 -1 -1\n", o, "2,0,60,120,0,4,0,0,0,0,type1,user1")
}

// Other names, other order, Unix seconds, raw fields, no GPUs at all.
func TestSacctMinimal(t *testing.T) {
	wantRows(t, "sacct", "state|alloccpus|allocnodes|end|start|submit|TimelimitRaw|ElapsedRaw|jobid\nCOMPLETED|4|1|1700000100|1700000000|1699999990|2|90|5\n",
		optionsS(), "5,0,90,120,1,4,4,0,0,0,type3")
	wantRows(t, "sacct", "JobID|State|Submit|Start|End|NNodes|NCPUS\n12_3|COMPLETED|1|2|62|1|4\n12+3|COMPLETED|1|2|62|1|4\n",
		interchange.ImportOptions{Machine: machineS(), Renumber: true}, "1,0,60,240,1,4,4,0,0,0,type3,12", "2,0,60,240,1,4,4,0,0,0,type3,")
}

func TestBadSacct(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|AllocTRES\n"
	wantFaults(t, "sacct", header+
		"1|COMPLETED|2026-01-01T00:00:10|2026-01-01T00:0\n"+
		"2|COMPLETED|2026-01-01 00:00:10|100|160|00:01:00||1|4|\n"+
		"3|COMPLETED|1|100|99|00:01:00||1|4|\n"+
		"4|COMPLETED|1|100|160|-00:01:00||1|4|\n"+
		"5|COMPLETED|1|100|160|60||1|4|\n"+
		"6|COMPLETED|1|100|160|00:01:00|soon|1|4|\n"+
		"7|COMPLETED|1|100|160|00:01:00||-1|4|\n"+
		"8|COMPLETED|1|100|160|00:01:00||1|4|gres/gpu=many\n"+
		"9_[1-4]|COMPLETED|1|100|160|00:01:00||1|4|\n"+
		"10|COMPLETED|1|100|160|00:01:00||1|4|a|b\n"+
		"11|COMPLETED|Unknown|100|160|00:01:00||1|4|\n"+
		"12||1|100|160|00:01:00||1|4|\n", optionsS(),
		"t:2: fields: got 4, allowed 10 separated by '|'",
		`t:3: Submit: got "2026-01-01 00:00:10", allowed YYYY-MM-DDTHH:MM:SS, Unix seconds, Unknown or None`,
		`t:4: End: got "99", allowed no time before Start`,
		`t:5: Elapsed: got "-00:01:00", allowed [days-]hours:minutes:seconds`,
		`t:6: Elapsed: got "60", allowed [days-]hours:minutes:seconds`,
		`t:7: Timelimit: got "soon", allowed minutes, [days-]hours:minutes:seconds, UNLIMITED or Partition_Limit`,
		`t:8: NNodes: got "-1", allowed a whole number from 1`,
		`t:9: AllocTRES: got "gres/gpu=many", allowed a whole number of GPUs`,
		`t:10: job id: got "9_[1-4]", allowed a whole number in 1..999999999 (of sacct: JobIDRaw), or any with renumbering (--renumber)`,
		"t:11: fields: got 11, allowed 10 separated by '|'",
		`t:12: Submit: got "Unknown", allowed YYYY-MM-DDTHH:MM:SS, Unix seconds, Unknown or None`,
		`t:13: State: got "", allowed Slurm's word for a job's state`,
	)
	wantFaults(t, "sacct", "JobID,State,Submit\n", optionsS(), "t:1: header: got no Start, allowed are dumps with JobIDRaw or JobID, State, Submit, Start, End, NNodes or AllocNodes or ReqNodes, NCPUS or AllocCPUS or ReqCPUS")
	wantFaults(t, "sacct", "JobID|State|Submit|Start|NNodes|NCPUS\n", optionsS(),
		"t:1: header: got no End, allowed are dumps with JobIDRaw or JobID, State, Submit, Start, End, NNodes or AllocNodes or ReqNodes, NCPUS or AllocCPUS or ReqCPUS")
}

// The README of HeliosData, "Example" and "Schema"; the third job is ours.
const helios = `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0
1425512,uVMrF,vchbv,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
1425513,uzqls,vcpDC,1,1,1,CANCELLED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-09 18:41:28,0,0
`

func TestHelios(t *testing.T) {
	wantFaults(t, "helios", helios, optionsS(),
		"t:3: job 1425512: cores_per_node: got 16, allowed 0..8 (cores of a node of machine S); "+
			"job 1425512: gpus_max: got 4, allowed 0..2 (GPUs of a node of machine S)",
		"t: machine S is too small: the jobs need at least 1 nodes of 16 cores and 4 GPUs: "+
			"give --machine a file with nodes: 1, cores: 16, gpus: 4, or let --fit spread and --size-factor shrink the jobs")
	o := optionsS()
	o.Rescale.Fit = true
	s := wantRows(t, "helios", helios+"\n\n", o, "1425511,0,36848,55440,1,1,1,1,1,0,gpu1,"+hashed("uxbbc", "uXBbc")+",completed", "1425512,26,249,540,2,16,8,2,2,0,gpu2,"+hashed("uvmrf", "uVMrF")+",failed")
	if got := s.Text()[5]; got != "rescaled: jobs spread over the nodes of machine S (128 nodes of 8 cores and 2 GPUs)" {
		t.Error(got)
	}
	wantFaults(t, "helios", strings.ReplaceAll(helios, ",", ";"), optionsS(),
		`t:1: header: got "job_id;user;vc;gpu_num;cpu_num;node_num;"..., allowed `+
			"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue")
	row := strings.Split(helios, "\n")[1]
	wantFaults(t, "helios", strings.SplitAfter(helios, "\n")[0]+strings.Replace(row, "36848", "-1", 1)+"\n"+row[:30]+"\n"+strings.Replace(row, ",1,1,1,", ",1,1,0,", 1), optionsS(),
		`t:2: duration: got "-1", allowed a whole number, not negative`,
		"t:3: fields: got 7, allowed 12 separated by commas",
		`t:4: node_num: got "0", allowed a whole number from 1`)
}

// "timestamp,duration,num_gpus,gpu_time,cluster": ElasticFlow's copy, its first job, and jobs
// of more GPUs than a node has. Lines are not in the order of time.
const philly = phillyHeader + `2017-10-09 07:01:55,66.0,1,66.0,11cb48
2017-10-09 06:13:03,2951.5,12,35418.0,6214e9
2017-10-09 06:13:04,0.0,16,0.0,6c71a0
`

const phillyHeader = "timestamp,duration,num_gpus,gpu_time,cluster\n"

func TestPhilly(t *testing.T) {
	o := interchange.ImportOptions{Machine: workloads.Machine{Name: "P", Nodes: 4, Cores: 8, GPUs: 8}}
	s := wantRows(t, "philly", philly, o,
		"1,2932,66,240,1,1,1,1,1,0,gpu1", "2,0,2952,4560,2,12,6,6,6,0,gpu6", "3,1,1,180,2,16,8,8,8,0,gpu8")
	if got := s.Text()[2]; got != "ignored: 3 partitions" {
		t.Error(s.Text())
	}
	wantFaults(t, "philly", "timestamp,duration\n", o, `t:1: header: got "timestamp,duration", allowed timestamp,duration,num_gpus,gpu_time,cluster`)
	wantFaults(t, "philly", phillyHeader+
		"2017-10-09,66.0,1,66.0,a\n"+
		"2017-10-09 07:01:55,-1,1,66.0,a\n"+
		"2017-10-09 07:01:55,NaN,1,66.0,a\n"+
		"2017-10-09 07:01:55,66.0,0,66.0,a\n"+
		"2017-10-09 07:01:55,66.0,1,66.0\n"+
		"2017-10-09 07:01:55,66.0,64,66.0,a\n", o,
		`t:2: timestamp: got "2017-10-09", allowed YYYY-MM-DD HH:MM:SS`,
		`t:3: duration: got "-1", allowed a number of seconds, not negative`,
		`t:4: duration: got "NaN", allowed a number of seconds, not negative`,
		`t:5: num_gpus: got "0", allowed a whole number from 1`,
		"t:6: fields: got 4, allowed 5 separated by commas",
		"t:7: job 6: nodes: got 8, allowed 0..4 (nodes of machine P); job 6: cores: got 64, allowed 1..32 (all cores of machine P)",
		"t: machine P is too small: the jobs need at least 8 nodes of 8 cores and 8 GPUs: "+
			"give --machine a file with nodes: 8, cores: 8, gpus: 8, or let --fit spread and --size-factor shrink the jobs",
	)
}

// Batsim's docs/input-workload.rst: ids are strings, profiles may come last,
// type delay (4) or DelayProfile (5).
const batsim = `{
  "nb_res": 4, "description": {"by": ["hand"]},
  "jobs": [
    {"id": "1", "subtime": 0.5, "walltime": 30, "res": 1, "profile": "d"},
    {"id": 2, "subtime": 10, "res": 4, "profile": "e", "extra_data": "{\"queue\": 3}", "user": "x"}
  ],
  "profiles": {"d": {"type": "delay", "delay": 20.2}, "e": {"type": "DelayProfile", "delay": 7}, "s": {"type": "composed", "seq": ["d"]}}
}
`

func TestBatsim(t *testing.T) {
	s := wantRows(t, "batsim", batsim, optionsS(), "1,0,20,60,0,1,0,0,0,0,type1,", "2,9,7,180,0,4,0,0,0,0,type1,x")
	if got, want := s.Text()[1], "adjusted: 1 without a time limit got 1.5 run times and 2 minutes; 1 with time limits rounded up to whole minutes, which are Slurm's"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	o := optionsS()
	o.Resource = interchange.Node
	wantRows(t, "batsim", batsim, o, "1,0,20,60,1,1,1,0,0,0,type3,", "2,9,7,180,4,4,1,0,0,0,type3,x")
}

func TestBadBatsim(t *testing.T) {
	wantFaults(t, "batsim", strings.NewReplacer(`"subtime": 0.5, `, "", `"profile": "e"`, `"profile": "s"`).Replace(batsim), optionsS(),
		`t:4: job "1": subtime: allowed seconds from 0`,
		`t:5: job "2": profile "s": got type "composed", delay 0, allowed type delay or DelayProfile with seconds from 0`)
	wantFaults(t, "batsim", strings.NewReplacer(`"res": 1`, `"res": "all"`, `"res": 4, "profile": "e"`, `"res": 4, "profile": "none"`).Replace(batsim), optionsS(),
		"t:4: res: got string, allowed int",
		`t:5: job "2": profile: got "none", allowed a name in profiles`)
	wantFaults(t, "batsim", batsim[:150], optionsS(), "t:5: JSON: unexpected EOF")
	wantFaults(t, "batsim", "[1]", optionsS(), "t:1: JSON: got [, allowed {")
	wantFaults(t, "batsim", "{}", optionsS(), `t:1: jobs: missing, allowed an object with "jobs" and "profiles"`)
}

// What goes wrong with the output is not the trace's fault.
func TestWriteError(t *testing.T) {
	full := errors.New("disk full")
	_, err := interchange.Import(source("t", swf), "swf", failingWriter{full}, optionsS())
	if !errors.Is(err, records.ErrWrite) || !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestRescale(t *testing.T) {
	o := optionsS()
	o.AllComplete = true
	o.Rescale = interchange.Rescale{SizeFactor: 0.5, ArrivalFactor: 2, From: interchange.Moment{After: 9 * time.Second}, Until: interchange.Moment{After: 20 * time.Second}}
	// 3 nodes times 0.5 is 2, rounded half up; the share of a node stays.
	s := wantRows(t, "sacct", sacct, o, "9,2,30,180,1,3,3,2,2,0,gpu2,8")
	// Job 7 was submitted at the window's start less 9 s, and waited.
	if got := s.Text()[3]; got != "left out at the start of the time window: 0 jobs that were running already, with 0.0 node-hours to go, and 1 that were waiting" {
		t.Error(got)
	}
	if got := s.Text()[4]; got != "rescaled: sizes times 0.5; time between arrivals times 2" {
		t.Error(got)
	}
	o.Rescale = interchange.Rescale{SizeFactor: 0.5}
	wantRows(t, "sacct", sacct, o, "7,0,120,86400,1,4,4,2,2,0,gpu2,", "9,10,30,180,1,3,3,2,2,0,gpu2,8", "11,20,80,180,2,5,0,2,2,0,gpu2,")
	o.Rescale = interchange.Rescale{MaxJobs: 2}
	wantRows(t, "swf", swf, o, swfRows()[:2]...)
	o.Rescale = interchange.Rescale{From: interchange.Moment{After: time.Hour}}
	wantFaults(t, "swf", swf, o, "t: jobs: got none, allowed at least one; records: 6 read, 0 jobs, 2 left out (never ran), 1 left out (parts of checkpointed jobs), "+
		"3 left out (outside the time window); chosen: submissions from 1h0m0s to the end")
	o.Rescale = interchange.Rescale{SizeFactor: -1, From: interchange.Moment{After: 2}, Until: interchange.Moment{After: 1}, MaxJobs: -1}
	wantFaults(t, "swf", swf, o, "size factor: got -1, allowed above 0 up to 1000",
		"time window: got 2ns to 1ns, allowed from 0s, the end after the start", "jobs: got -1, allowed 1 or more, or 0 for all")
}

// sacct lists the jobs that had not ended at --starttime (sacct(1)), so the record begins no later than its first end, be it of a job that
// was cancelled before it started. A step may have ended before, and a job that still ran holds what AllocTRES says.
func TestExtentOfSacct(t *testing.T) {
	const dump = `JobIDRaw|State|Submit|Start|End|NNodes|NCPUS|AllocTRES
1|COMPLETED|2026-03-01T23:00:00|2026-03-01T23:00:00|2026-03-02T05:00:00|1|8|cpu=8
1.0|COMPLETED|2026-03-01T23:00:00|2026-03-01T23:00:00|2026-03-01T23:10:00|1|8|cpu=8
2|CANCELLED by 7|2026-03-01T23:30:00|None|2026-03-02T00:00:40|1|0|
3|RUNNING|2026-03-02T08:00:00|2026-03-02T09:00:00|Unknown|1|8|cpu=8,gres/gpu=2
4|RUNNING|2026-03-02T08:00:00|2026-03-02T09:00:00|Unknown|1|many|cpu=8,gres/gpu=2
5|PENDING|2026-03-02T08:00:00|Unknown|Unknown|1|8|
`
	got, err := interchange.ExtentOf(source("dump", dump), "sacct")
	at := func(hour, second int) float64 {
		return float64(time.Date(2026, 3, 2, hour, 0, second, 0, time.UTC).Unix())
	}
	want := interchange.Extent{FirstEnd: at(0, 40), Running: []interchange.Running{{Start: at(9, 0), CPUs: 8, GPUs: 2}, {Start: at(9, 0), GPUs: 2}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
