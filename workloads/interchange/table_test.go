package interchange_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// large has room for the jobs of each trace.
func large() interchange.ImportOptions {
	return interchange.ImportOptions{Machine: workloads.Machine{Name: "large", Nodes: 4000, Cores: 256, GPUs: 8}, Resource: interchange.Core}
}

// marconi is a row of PM100's job_table.parquet, with the columns of its documentation/job_features.md that are read, and a list.
type marconi struct {
	Job       int64     `parquet:"job_id"`
	User      int64     `parquet:"user_id"`
	Partition string    `parquet:"partition"`
	Submit    time.Time `parquet:"submit_time,timestamp(millisecond)"`
	Start     time.Time `parquet:"start_time,timestamp(millisecond)"`
	End       time.Time `parquet:"end_time,timestamp(microsecond)"`
	Run       int64     `parquet:"run_time"`
	Limit     int64     `parquet:"time_limit"`
	Nodes     int64     `parquet:"num_nodes_alloc"`
	Cores     int64     `parquet:"num_cores_alloc"`
	GPUs      float64   `parquet:"num_gpus_alloc"`
	State     string    `parquet:"job_state"`
	Power     []float64 `parquet:"node_power_consumption,list"`
}

// fugaku is a row of F-DATA.
type fugaku struct {
	Job   string    `parquet:"jid"`
	User  string    `parquet:"usr"`
	Nodes int64     `parquet:"nnumr"`
	Limit int64     `parquet:"elpl"`
	Add   time.Time `parquet:"adt,timestamp"`
	Start time.Time `parquet:"sdt,timestamp"`
	End   time.Time `parquet:"edt,timestamp"`
	State string    `parquet:"exit state"`
	Power float64   `parquet:"avgpcon"`
}

// kestrel is a row of NLR's datacard that is read; durations are Arrow's, nanoseconds.
type kestrel struct {
	Job        int64      `parquet:"job_id"`
	Range      *string    `parquet:"array_range,optional"`
	User       string     `parquet:"user_hash"`
	Account    string     `parquet:"account_hash"`
	Partition  string     `parquet:"partition"`
	State      string     `parquet:"state"`
	Simple     string     `parquet:"state_simple"`
	Submit     time.Time  `parquet:"submit_time,timestamp(microsecond)"`
	Start      *time.Time `parquet:"start_time,optional,timestamp(microsecond)"`
	End        *time.Time `parquet:"end_time,optional,timestamp(microsecond)"`
	Nodes      int64      `parquet:"nodes_req"`
	Processors int64      `parquet:"processors_req"`
	Memory     string     `parquet:"memory_req"`
	Limit      int64      `parquet:"wallclock_req"`
	QOS        string     `parquet:"qos"`
	GPUs       *int64     `parquet:"gpus_requested,optional"`
}

func inParquet[T any](t *testing.T, rows ...T) string {
	t.Helper()
	var out bytes.Buffer
	if err := parquet.Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Each format in its published columns (the citations are in the tables): a trace of a few jobs becomes those jobs, and
// what the source is stands in the record of the import.
func TestTables(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(1_600_000_000+int64(seconds), 0).UTC() }
	traces := map[string]struct {
		text string
		rows []string
		says []string
	}{
		"acme": {`job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
5778432,u1,2.0,16,192,Pretrain,COMPLETED,2023-03-01 00:00:17+08:00,2023-03-01 00:00:27+08:00,2023-03-01 01:00:27+08:00,3600.0,10.0,57600.0
dlc1a2b,u2,1.0,0,12,Other,CANCELLED,2023-03-01 00:01:17+08:00,,2023-03-01 00:02:17+08:00,,60.0,0
`, []string{"2,0,3600,5520,2,192,96,8,8,0,gpu8,u1,completed,0", "3,60,0,86400,1,12,12,0,0,0,type3,u2,cancelled_pending,60"},
			[]string{"licence CC BY 4.0", "cite Hu et al."}},
		"philly-json": {`[{"status":"Pass","vc":"6214e9","jobid":"application_1","attempts":[{"start_time":"2017-10-07 01:00:20","end_time":"2017-10-07 01:01:20","detail":[{"ip":"m1","gpus":["gpu0"]}]},
  {"start_time":"2017-10-07 01:02:20","end_time":"2017-10-07 02:02:20","detail":[{"ip":"m2","gpus":["gpu0","gpu1"]},{"ip":"m3","gpus":["gpu6","gpu7"]}]}],"submitted_time":"2017-10-07 01:00:15","user":"ce2f4f"},
 {"status":"Killed","vc":"b436b2","jobid":"application_2","attempts":[],"submitted_time":"2017-10-07 01:00:25","user":"b"},
 {"status":"Failed","vc":"b436b2","jobid":"application_3","attempts":[{"start_time":"2017-10-07 01:00:30","end_time":"2017-10-07 01:00:40","detail":[{"ip":"m1","gpus":["gpu0"]}]}],"submitted_time":"2017-10-07 01:00:25","user":"b"}]`,
			[]string{"1,0,3600,5520,2,4,2,2,2,0,gpu2,ce2f4f,completed", "3,10,10,180,1,1,1,1,1,0,gpu1,b,failed"},
			[]string{"1 earlier attempts of 1 jobs", "1 left out (never ran)", "2 partitions"}},
		"openb": {`name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
openb-pod-0000,12000,16384,1,1000,,LS,Running,0,,0
openb-pod-0001,6500,12288,1,460,V100M16|V100M32,LS,Succeeded,100,700,130
openb-pod-0002,96000,1048576,8,1000,,LS,Failed,200,260,200
`, []string{"3,0,570,1020,1,7,7,1,1,0,gpu1,completed", "4,100,60,240,1,96,96,8,8,0,gpu8,failed"},
			[]string{"fractions of GPUs, which became whole ones, of 1 jobs", "1 left out (not ended)", "types of GPUs of 1 jobs"}},
		"alibaba-spot": {`job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type
j1,org1,A100,12,2,3,0,600,HP
j2,org2,H800,8,0.5,1,30,60,Spot
`, []string{"2,0,600,1020,3,36,12,2,2,0,gpu2,org1", "3,30,60,240,1,8,8,1,1,0,gpu1,org2"},
			[]string{"fractions of GPUs, which became whole ones, of 1 jobs"}},
		"supercloud": {`id_job,id_user,partition,time_submit,time_start,time_end,timelimit,nodes_alloc,nodelist,tres_alloc,state
11,901,xeon-g6,1609459200,1609459260,1609462860,120,2,"d-1-[1-2]","1=40,2=340000,4=2,5=40,1002=4",3
12,902,xeon-p8,1609459300,0,1609459400,120,0,,"",4
13,902,xeon-p8,1609459300,1609459310,1609459910,10,1,d-2-1,"1=48,4=1",6
`, []string{"11,0,3600,7200,2,40,20,2,2,0,gpu2,901,completed", "13,100,600,600,1,48,48,0,0,0,type3,902,timeout"}, nil},
		"alcf-polaris": {`JOB_NAME,USERNAME_GENID,QUEUED_TIMESTAMP,START_TIMESTAMP,END_TIMESTAMP,WALLTIME_SECONDS,RUNTIME_SECONDS,NODES_REQUESTED
1.polaris,111,2023-01-01 00:00:00,2023-01-01 00:10:00,2023-01-01 01:10:00,7200,3600,10
`, []string{"2,0,3600,7200,10,320,32,4,4,0,gpu4,111"}, []string{"columns that are not read: JOB_NAME"}},
		"alcf-aurora": {`USERNAME_GENID,QUEUED_TIMESTAMP,START_TIMESTAMP,END_TIMESTAMP,WALLTIME_SECONDS,RUNTIME_SECONDS,NODES_REQUESTED
111,2025-01-01 00:00:00,2025-01-01 00:10:00,2025-01-01 01:10:00,7200,3600,2
`, []string{"2,0,3600,7200,2,208,104,6,6,0,gpu6,111"}, nil},
		"lassen": {`primary_job_id,hashed_user_id,num_nodes,job_submit_time,begin_time,end_time,exit_status
7,ab1,4,2019-03-01 00:00:00.123456,2019-03-01 00:01:00.5,2019-03-01 00:11:00.5,0
8,ab1,1,2019-03-01 00:00:10,2019-03-01 00:01:00,2019-03-01 00:01:30,139
`, []string{"7,0,600,1020,4,176,44,4,4,0,gpu4,ab1,completed", "8,10,30,180,1,44,44,4,4,0,gpu4,ab1,failed"}, nil},
		"pm100": {inParquet(t, marconi{Job: 4, User: 20, Partition: "1", Submit: at(0), Start: at(5), End: at(605), Run: 600, Limit: 30, Nodes: 2, Cores: 256, GPUs: 8, State: "COMPLETED", Power: []float64{800, 900}},
			marconi{Job: 5, User: 21, Partition: "2", Submit: at(7), Start: at(9), End: at(129), Run: 120, Limit: 2, Nodes: 1, Cores: 4, State: "TIMEOUT"}),
			[]string{"4,0,600,1800,2,256,128,4,4,0,gpu4,20,completed", "5,7,120,120,1,4,4,0,0,0,type3,21,timeout"}, nil},
		"f-data": {inParquet(t, fugaku{Job: "x", User: "u", Nodes: 384, Limit: 86400, Add: at(0), Start: at(60), End: at(3660), State: "failed", Power: 40000}),
			[]string{"1,0,3600,86400,384,18432,48,0,0,0,type3,u,failed"}, []string{"columns that are not read: jid, avgpcon"}},
		"kestrel": {inParquet(t,
			kestrel{Job: 7, User: "aa1", Account: "bb2", Partition: "short", State: "COMPLETED", Simple: "COMPLETED", Submit: at(0), Start: new(at(9)), End: new(at(609)), Nodes: 2, Processors: 208, Memory: "85G", Limit: 3600e9, QOS: "high"},
			kestrel{Job: 8, User: "aa1", Account: "bb2", Partition: "gpu-h100", State: "CANCELLED by 1", Simple: "CANCELLED", Submit: at(60), End: new(at(90)), Nodes: 1, Processors: 4, Limit: 1800e9, QOS: "normal", GPUs: new(int64(2))},
			kestrel{Job: 9, User: "aa1", Account: "bb2", Partition: "short", State: "PENDING", Simple: "PENDING", Submit: at(70), Nodes: 1, Processors: 4, Limit: 1800e9}),
			[]string{"7,0,600,3600,2,208,104,0,0,0,type3,aa1,completed,0,bb2", "8,60,0,1800,1,4,4,2,2,0,gpu2,aa1,cancelled_pending,30,bb2"},
			[]string{"licence nlr-data-1.0", "1 left out (never ran)", "2 QOS", "columns that are not read: array_range, state, memory_req"}},
	}
	for _, table := range append(interchange.Tables(), &interchange.Table{Name: "philly-json"}) {
		t.Run(table.Name, func(t *testing.T) {
			trace, ok := traces[table.Name]
			if !ok {
				t.Fatal("no trace of this format")
			}
			s := wantRows(t, table.Name, trace.text, large(), trace.rows...)
			origin := strings.Join(s.Origin(), "\n")
			for _, text := range append(trace.says, "cite ") {
				if !strings.Contains(origin, text) {
					t.Errorf("got\n%s\nwant %s", origin, text)
				}
			}
		})
	}
}

// The small traces of examples/traces that are Parquet files have these rows. UPDATE_TRACES=1 writes them.
func TestSmallParquet(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(1_600_000_000+int64(seconds), 0).UTC() }
	var marconi100 []marconi
	var fugakus []fugaku
	var kestrels []kestrel
	for i, j := range []struct{ submit, start, run, limit, nodes int }{
		{0, 5, 120, 5, 2}, {10, 130, 60, 2, 4}, {20, 25, 20, 1, 1}, {30, 31, 30, 1, 1}, {40, 45, 20, 1, 2}, {50, 55, 40, 2, 1},
	} {
		n, user, state := int64(j.nodes), i%3, "COMPLETED"
		if i == 2 {
			state = "FAILED"
		}
		end := at(j.start + j.run)
		marconi100 = append(marconi100, marconi{
			Job: int64(i + 1), User: int64(20 + user), Partition: "1", Submit: at(j.submit), Start: at(j.start), End: end,
			Run: int64(j.run), Limit: int64(j.limit), Nodes: n, Cores: 128 * n, GPUs: float64(4 * n), State: state, Power: []float64{800, 900},
		})
		fugakus = append(fugakus, fugaku{
			Job: fmt.Sprintf("j%d", i+1), User: fmt.Sprintf("u%d", user), Nodes: n, Limit: int64(60 * j.limit), Add: at(j.submit), Start: at(j.start), End: end,
			State: strings.ToLower(state), Power: 100,
		})
		kestrels = append(kestrels, kestrel{
			Job: int64(i + 1), User: fmt.Sprintf("a0%d", user), Account: "b01", Partition: "short", State: state, Simple: state, Submit: at(j.submit), Start: new(at(j.start)), End: &end,
			Nodes: n, Processors: 104 * n, Memory: "85G", Limit: int64(time.Duration(j.limit) * time.Minute), QOS: "normal",
		})
	}
	smallParquet(t, "pm100", marconi100)
	smallParquet(t, "f-data", fugakus)
	smallParquet(t, "kestrel", kestrels)
}

func smallParquet[T any](t *testing.T, name string, rows []T) {
	t.Helper()
	file := "../../examples/traces/" + name + ".parquet"
	if os.Getenv("UPDATE_TRACES") != "" {
		if err := os.WriteFile(file, []byte(inParquet(t, rows...)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := parquet.ReadFile[T](file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, rows) {
		t.Errorf("%s: got\n%+v\nwant\n%+v", file, got, rows)
	}
}

// A table of the user's reads a trace that no built-in one knows.
func TestOwnTable(t *testing.T) {
	table, err := interchange.ParseTable("mine.yaml", []byte("separator: ;\ncolumns: {when: submit, took: runtime, n: cores, who: user}\nstates: {ok: COMPLETED}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := large()
	o.Table = table
	wantRows(t, "csv", "n;who;when;took;mood\n4;eva;10;100;good\n2;\"a;b\";20;30;bad\n", o, "2,0,100,300,0,4,0,0,0,0,type1,eva", "3,10,30,180,0,2,0,0,0,0,type1,a_b-5719af18")
}

// A part of a GPU becomes shards where the machine has some: of equal parts one GPU of each node has them (Slurm's gres.html, "Sharding"), and
// the part is rounded up. What is no part of one GPU stays whole.
func TestShares(t *testing.T) {
	const head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
	m, err := workloads.ParseMachine("m.yaml", []byte("groups: [{name: a, count: 4, cores: 96, gpus: {V100M32: 8}, shards: 32}, {name: b, count: 4, cores: 96, gpus: {T4: 2}, shards: 4}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := wantRows(t, "openb", head+"a,6500,1,1,460,V100M32,LS,Succeeded,100,700,130\nb,1000,1,1,250,,LS,Succeeded,100,700,130\nc,1000,1,1,1000,,LS,Succeeded,100,700,130\nd,1000,1,2,1000,,LS,Succeeded,100,700,130\n",
		interchange.ImportOptions{Machine: m},
		"2,0,570,1020,1,7,7,0,0,0,type3,2", "3,0,570,1020,1,1,1,0,0,0,type3,1", "4,0,570,1020,1,1,1,1,1,0,gpu1,0", "5,0,570,1020,1,1,1,2,2,0,gpu2,0")
	text := strings.Join(s.Text(), "\n")
	for _, want := range []string{"2 that asked for a part of a GPU got its shards (gres/shard), rounded up to whole ones", "types of GPUs of 1 jobs"} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %s", text, want)
		}
	}
	if strings.Contains(text, "fractions of GPUs") {
		t.Errorf("got\n%s\nwant no fractions", text)
	}
	wantRows(t, "alibaba-spot", "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\nj2,org2,T4,8,0.5,3,30,60,Spot\nj3,org2,T4,8,1.5,1,30,60,Spot\n", interchange.ImportOptions{Machine: m},
		"2,0,60,240,3,24,8,0,0,0,type3,org2,,2", "3,0,60,240,1,8,8,2,2,0,gpu2,org2,T4,0")
}

// What an import rounds or cuts is counted, and numbers that no machine has do not wrap around to small ones.
func TestTableCountsWhatItChanges(t *testing.T) {
	table, err := interchange.ParseTable("mine.yaml", []byte("columns: {s: submit, r: runtime, c: cores_per_node, n: nodes, l: limit}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := large()
	o.Table = table
	s := wantRows(t, "csv", "s,r,c,n,l\n1,60,1.5,2,4294967295\n", o, "2,0,60,31536000,2,4,2,0,0,0,type3")
	for _, want := range []string{"fractions of cores, which became whole ones, of 1 jobs", "1 with time limits of more than 365 days got one of 365 days"} {
		if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
	o.Rescale.SizeFactor = 0.25
	if _, _, err := importText("csv", "s,r,c,n,l\n1,60,2147483648,2147483648,60\n", o); err == nil {
		t.Error("got a job of 2147483648 nodes of 2147483648 cores on a machine of 4000")
	}
}

// What is wrong with a table or its trace is said with line and field.
func TestBadTables(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"columns: {a: submit, b: runtime}\n", "x.yaml:1: columns: got none that means a size, allowed cores, cores_per_node, cpu_milli, gpus, gpus_per_node or tres"},
		{"columns: {a: cores}\n", "x.yaml:1: columns: got none that means submit\nx.yaml:1: columns: got none that means runtime, allowed are also start or wait, with end"},
		{"separator: '::'\n", `x.yaml:1: separator: got "::", allowed one character`},
		{"colums: {}\n", "x.yaml:1: colums: unknown key, allowed "},
		{"columns:\n  a: submitt\n", `did you mean "submit"?`},
		{"columns:\n  a: submit\n  b: submit\n", "x.yaml:3: columns.b: got submit, allowed once, and column a has it"},
		{"fixed: {noodles: 1}\n", "fixed.noodles: unknown meaning, allowed "},
		{"columns: {a: submit, b: runtime, c: cores_per_node}\n", "x.yaml:1: columns: got a size of each node without nodes"},
	} {
		if _, err := interchange.ParseTable("x.yaml", []byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.text, err, tc.want)
		}
	}
	const head = "USERNAME_GENID,QUEUED_TIMESTAMP,START_TIMESTAMP,END_TIMESTAMP,WALLTIME_SECONDS,RUNTIME_SECONDS,NODES_REQUESTED\n"
	wantFaults(t, "alcf-aurora", head+"u,yesterday,2025-01-01 00:00:01,2025-01-01 00:10:00,60,60,1\nu,1,2\nu,5,6,16,60,-1,1\n", large(),
		`t:2: QUEUED_TIMESTAMP: got "yesterday", allowed seconds, or a date such as 2026-03-01 12:00:00, perhaps with T and a zone`,
		`t:3: fields: got 3, allowed 7 separated by ","`,
		`t:4: RUNTIME_SECONDS: got "-1", allowed a number, not negative`)
	wantFaults(t, "alcf-aurora", "a,b\n1,2\n", large(), `t:1: header: got no column USERNAME_GENID in "a,b"`)
	wantFaults(t, "csv", "a,b\n1,2\n", large(), "columns: missing, allowed a file that says what the columns mean")
	wantFaults(t, "alcf-aurora", head+"u,2025-01-01 00:00:00 PDT,2025-01-01 00:00:01,2025-01-01 00:10:00,60,60,1\n", large(),
		`t:2: QUEUED_TIMESTAMP: got "2025-01-01 00:00:00 PDT", allowed seconds, or a date such as 2026-03-01 12:00:00, perhaps with T and a zone`)
	// A trace of which the end was lost is not a shorter trace.
	const job = `[{"status":"Killed","submitted_time":"2017-10-07 01:00:25"}`
	wantFaults(t, "philly-json", job, large(), "t: job 2: got the end of the file, allowed a list of jobs that ends in ]")
	wantFaults(t, "philly-json", job+",", large(), "t: job 2: unexpected EOF")
	wantFaults(t, "philly-json", job+"]\n[]", large(), "t: job 2: got more text behind the list, allowed one list of jobs")
	wantFaults(t, "philly-json", "{}", large(), "t: got no list of jobs, allowed cluster_job_log of Philly, which begins with [")
}

// Numbers and times in each form that Parquet has for them (LogicalTypes.md of parquet-format): decimals are whole numbers with a scale, in
// bytes two's complement; dates are days; INT96 has nanoseconds and a Julian day.
func TestParquetValues(t *testing.T) {
	type row struct {
		Submit deprecated.Int96 `parquet:"submit"`
		Start  int32            `parquet:"start,date"`
		End    time.Time        `parquet:"end,timestamp(nanosecond)"`
		Limit  int64            `parquet:"limit,decimal(2:18)"`
		Cores  int32            `parquet:"cores,decimal(1:9)"`
		GPUs   [16]byte         `parquet:"gpus,decimal(3:38)"`
		Nodes  uint32           `parquet:"nodes"`
	}
	table, err := interchange.ParseTable("mine.yaml", []byte("columns: {submit: submit, start: start, end: end, limit: limit, cores: cores, gpus: gpus, nodes: nodes}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := large()
	o.Table = table
	// 2020-09-14 is day 18,519 of Unix and day 2,459,107 of the Julian calendar.
	day := time.Date(2020, 9, 14, 0, 0, 0, 0, time.UTC)
	early := deprecated.Int96{0, 0, 2_459_106}
	nanoseconds := uint64(86_390 * time.Second)
	early[0], early[1] = uint32(nanoseconds), uint32(nanoseconds>>32)
	one := row{Submit: early, Start: 18_519, End: day.Add(time.Minute), Limit: 12_345, Cores: 80, Nodes: 2}
	one.GPUs[14], one.GPUs[15] = 16_000>>8, 16_000&0xff
	s := wantRows(t, "csv", inParquet(t, one), o, "1,0,60,180,2,8,4,8,8,0,gpu8")
	if want := "1 with time limits rounded up to whole minutes, which are Slurm's"; !strings.Contains(strings.Join(s.Text(), "\n"), want) {
		t.Errorf("got %v, want %s", s.Text(), want)
	}
	two := one
	two.Cores = -80
	if _, _, err = importText("csv", inParquet(t, two), o); err == nil || !strings.Contains(err.Error(), `cores: got "-8.0", allowed a number, not negative`) {
		t.Errorf("got %v", err)
	}
	for i := range two.GPUs {
		two.GPUs[i] = 0xff
	}
	two.Cores, two.Limit = 80, 5
	if _, _, err = importText("csv", inParquet(t, two), o); err == nil || !strings.Contains(err.Error(), `gpus: got "-0.001", allowed a number, not negative`) {
		t.Errorf("got %v", err)
	}
}

// A Parquet file with any byte changed is read or is an error, and no panic.
func TestDamagedParquet(t *testing.T) {
	whole := inParquet(t, marconi{Job: 4, User: 20, Partition: "1", Submit: time.Unix(1e9, 0), Start: time.Unix(1e9, 0), End: time.Unix(1e9+5, 0), Run: 600, Limit: 30, Nodes: 2, Cores: 256, State: "COMPLETED", Power: []float64{800}})
	broken := 0
	for i := 4; i < len(whole); i += 5 {
		if _, _, err := importText("pm100", whole[:i]+"\xff"+whole[i+1:], large()); err != nil && strings.Contains(err.Error(), "t: parquet: ") {
			broken++
		}
	}
	if broken == 0 {
		t.Error("got no fault of a damaged file")
	}
}

// Whatever the table and the trace: no panic.
func FuzzTable(f *testing.F) {
	f.Add("columns: {a: submit, b: runtime, c: cores}\n", "a,b,c\n1,2,3\n")
	f.Add("separator: \" \"\nnames: [a, b, c]\ncolumns: {a: submit, b: runtime, c: gpu_milli}\n", "1 2 300\n")
	f.Add("columns: {a: submit, b: start, d: end, c: tres, e: state}\n", "a,b,d,c,e\n1,2,3,\"1=2,1002=4\",CANCELLED by 7\n")
	f.Add("columns: {a: submit, b: runtime, c: cores}\n", "PAR1PAR1")
	f.Fuzz(func(_ *testing.T, text, trace string) {
		table, err := interchange.ParseTable("x.yaml", []byte(text))
		if err != nil {
			return
		}
		o := large()
		o.Table = table
		_, _, _ = importText("csv", trace, o)
	})
}

// The documentation has each format but the table whose columns a user names, and says of a published trace whom to cite.
func TestEachFormatIsDescribed(t *testing.T) {
	var names []string
	for _, d := range interchange.Describe() {
		names = append(names, d.Name)
		if written := []string{"swf", "sacct", "batsim"}; d.Title == "" || d.Columns == "" || d.Citation == "" && !slices.Contains(written, d.Name) {
			t.Errorf("got %+v", d)
		}
	}
	if want := slices.DeleteFunc(interchange.Formats(), interchange.HasColumns); !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// A workload counts GPUs by node, so the GPUs of jobs without a number of nodes are lost, and counted.
func TestGPUsWithoutNodes(t *testing.T) {
	table, err := interchange.ParseTable("c.yaml", []byte("columns: {submit: submit, runtime: runtime, cores: cores, gpus: gpus}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := optionsS()
	o.Table = table
	s := wantRows(t, "csv", "submit,runtime,cores,gpus\n0,60,8,2\n5,60,8,0\n", o, "2,0,60,240,0,8,0,0,0,0,type1", "3,5,60,240,0,8,0,0,0,0,type1")
	if got, want := strings.Join(s.Text(), "\n"), "GPUs, for which the trace has no number of nodes, of 1 jobs"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
