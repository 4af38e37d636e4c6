package interchange_test

import (
	"bytes"
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
func large() interchange.Options {
	return interchange.Options{Machine: workloads.Machine{Name: "large", Nodes: 4000, Cores: 256, GPUs: 8}, Resource: interchange.Core}
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
	Power float64   `parquet:"avgpcon"`
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
			[]string{"4,0,600,1800,2,256,128,4,4,0,gpu4,20,completed", "5,7,120,120,1,4,4,0,0,0,type3,21,timeout"}, []string{"licence CC BY 4.0"}},
		"f-data": {inParquet(t, fugaku{Job: "x", User: "u", Nodes: 384, Limit: 86400, Add: at(0), Start: at(60), End: at(3660), Power: 40000}),
			[]string{"1,0,3600,86400,384,18432,48,0,0,0,type3,u"}, []string{"columns that are not read: jid, avgpcon"}},
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
