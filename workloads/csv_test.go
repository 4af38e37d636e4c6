package workloads

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// The columns of workload.csv, byte for byte: other programs read them.
func TestWriteCSV(t *testing.T) {
	got := csvOf(t, []Job{
		{ID: 1, Runtime: 60, Limit: 120, Cores: 64, Class: "type1"},
		{ID: 20, Arrival: 5, Runtime: 61, Limit: 180, Nodes: 2, Cores: 8, CoresPerNode: 4, GPUsMin: 1, GPUsMax: 2, Contiguous: true, Class: "gpu1-2"},
	})
	const want = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class\n" +
		"1,0,60,120,0,64,0,0,0,0,type1\n" +
		"20,5,61,180,2,8,4,1,2,1,gpu1-2\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A workload with users has their column, also for jobs without one; field 12 of
// SWF is the user.
func TestCSVWithUsers(t *testing.T) {
	jobs := []Job{
		{ID: 1, Runtime: 60, Limit: 120, Cores: 64, Class: "type1", User: "alice"},
		{ID: 2, Runtime: 60, Limit: 120, Cores: 64, Class: "type1"},
	}
	text := csvOf(t, jobs)
	const want = csvHeader + ",user\n1,0,60,120,0,64,0,0,0,0,type1,alice\n2,0,60,120,0,64,0,0,0,0,type1,\n"
	if text != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
	got, err := ReadCSV(strings.NewReader(text), "w.csv")
	if err != nil || !reflect.DeepEqual(got, jobs) {
		t.Errorf("read %+v, %v", got, err)
	}
	for _, c := range []struct{ row, want string }{
		{"1,0,60,120,0,64,0,0,0,0,type1\n", "w.csv:2: row: got 11 columns, allowed 12"},
		{"1,0,60,120,0,64,0,0,0,0,type1,Al ice\n", `w.csv:2: job 1: user: got "Al ice", allowed up to 32 of lower-case letters, digits, -, _ and ., the first not -`},
		{"1,0,60,120,0,64,0,0,0,0,type1,-i\n", `w.csv:2: job 1: user: got "-i", allowed up to 32 of lower-case letters, digits, -, _ and ., the first not -`},
	} {
		_, err := ReadCSV(strings.NewReader(csvHeader+",user\n"+c.row), "w.csv")
		wantError(t, err, c.want)
	}
}

// Ranges of nodes have a column of their own, after the one of users; files without it
// stay what they were.
func TestCSVWithRangesOfNodes(t *testing.T) {
	for _, user := range []string{"", "alice"} {
		jobs := []Job{
			{ID: 1, Runtime: 60, Limit: 120, Nodes: 2, NodesMax: 4, Cores: 24, Class: "type2", User: user},
			{ID: 2, Runtime: 60, Limit: 120, Cores: 64, Class: "type1"},
		}
		column, first, second := "", "", ""
		if user != "" {
			column, first, second = ",user", ",alice", ","
		}
		text := csvOf(t, jobs)
		want := csvHeader + column + ",nodes_max\n1,0,60,120,2,24,0,0,0,0,type2" + first + ",4\n2,0,60,120,0,64,0,0,0,0,type1" + second + ",0\n"
		if text != want {
			t.Errorf("got:\n%s\nwant:\n%s", text, want)
		}
		got, err := ReadCSV(strings.NewReader(text), "w.csv")
		if err != nil || !reflect.DeepEqual(got, jobs) {
			t.Errorf("read %+v, %v", got, err)
		}
	}
	for _, c := range []struct{ row, want string }{
		{"1,0,60,120,2,64,0,0,0,0,type1,x\n", `w.csv:2: nodes_max: got "x", allowed a whole number`},
		{"1,0,60,120,4,64,0,0,0,0,type1,2\n", "w.csv:2: job 1: nodes_max: got 2, allowed 0, or more than nodes=4 to 10000 beside nodes and without cores_per_node"},
		{"1,0,60,120,0,64,0,0,0,0,type1,2\n", "w.csv:2: job 1: nodes_max: got 2, allowed 0, or more than nodes=0 to 10000 beside nodes and without cores_per_node"},
	} {
		_, err := ReadCSV(strings.NewReader(csvHeader+",nodes_max\n"+c.row), "w.csv")
		wantError(t, err, c.want)
	}
	wide := Job{ID: 1, Runtime: 60, Limit: 120, Nodes: 2, NodesMax: 4, Cores: 24, Class: "type2"}
	for nodes, want := range map[int]int{4: 0, 3: 1} {
		if faults := wide.Validate(Machine{Name: "m", Nodes: nodes, Cores: 8}); len(faults) != want {
			t.Errorf("on %d nodes: %v, want %d faults", nodes, faults, want)
		}
	}
}

func TestWriteCSVErrors(t *testing.T) {
	var out bytes.Buffer
	err := WriteCSV(&out, []Job{{ID: 1, Runtime: 60, Limit: 60, Cores: 1, Class: "a,b"}})
	wantError(t, err, `write workload: job 1: class: got "a,b", allowed 1..32 of letters, digits, -, _ and .`)
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.String())
	}
	full := errors.New("disk full")
	if err := WriteCSV(failingWriter{full}, nil); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if _, err := ReadCSV(iotest.ErrReader(full), "w.csv"); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReadCSVLineEndings(t *testing.T) {
	jobs := jobsOf(t, "V.2", "S", 2)
	text := csvOf(t, jobs)
	for name, variant := range map[string]string{
		"LF":               text,
		"CRLF":             strings.ReplaceAll(text, "\n", "\r\n"),
		"no last line end": strings.TrimSuffix(text, "\n"),
	} {
		got, err := ReadCSV(strings.NewReader(variant), "w.csv")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, jobs) {
			t.Errorf("%s: jobs differ", name)
		}
	}
}

// Each option of sbatch has a column, there only if a job asks for it, after the others.
func TestCSVWithOptions(t *testing.T) {
	jobs := []Job{
		{ID: 1, Runtime: 60, Limit: 120, Cores: 64, Class: "a", Options: Options{Partition: "gpu", MemPerNode: 4096, Features: "ib&big", Exclusive: true}},
		{ID: 2, Runtime: 60, Limit: 120, Cores: 64, GPUsMin: 2, GPUsMax: 2, Class: "b", Options: Options{MemPerCPU: 7, Features: "ib|x.1", GPUType: "a100"}},
		{ID: 3, Runtime: 60, Limit: 120, Cores: 64, Class: "c"},
	}
	text := csvOf(t, jobs)
	const want = csvHeader + ",partition,mem_per_node,mem_per_cpu,features,gpu_type,exclusive\n" +
		"1,0,60,120,0,64,0,0,0,0,a,gpu,4096,0,ib&big,,1\n" +
		"2,0,60,120,0,64,0,2,2,0,b,,0,7,ib|x.1,a100,0\n" +
		"3,0,60,120,0,64,0,0,0,0,c,,0,0,,,0\n"
	if text != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
	if got, err := ReadCSV(strings.NewReader(text), "w.csv"); err != nil || !reflect.DeepEqual(got, jobs) {
		t.Errorf("read %+v, %v", got, err)
	}
	for _, c := range []struct{ column, value, want string }{
		{"partition", "a b", `job 1: partition: got "a b", allowed none, or names joined by &, each once: ` + wordRule},
		{"partition", "a;b", `job 1: partition: got "a;b", allowed none, or names joined by &, each once: ` + wordRule},
		{"partition", "a&b&a", `job 1: partition: got "a&b&a", allowed none, or names joined by &, each once: ` + wordRule},
		{"mem_per_node", "4G", `mem_per_node: got "4G", allowed a whole number`},
		{"mem_per_node", "67108865", "job 1: mem_per_node: got 67108865, allowed 0..67108864"},
		{"mem_per_cpu", "-1", `mem_per_cpu: got "-1", allowed a whole number`},
		{"features", "a&b|c", `job 1: features: got "a&b|c", allowed features joined by & or by |, not by both, each ` + wordRule},
		{"features", "&", `job 1: features: got "&", allowed features joined by & or by |, not by both, each ` + wordRule},
		{"gpu_type", "a100", `job 1: gpu_type: got "a100", allowed none unless gpus_min=gpus_max is 1 or more`},
		{"exclusive", "yes", `exclusive: got "yes", allowed 0 or 1`},
	} {
		_, err := ReadCSV(strings.NewReader(csvHeader+","+c.column+"\n1,0,60,120,0,64,0,0,0,0,a,"+c.value+"\n"), "w.csv")
		wantError(t, err, "w.csv:2: "+c.want)
	}
	both := csvHeader + ",mem_per_node,mem_per_cpu,exclusive\n1,0,60,120,0,64,0,1,2,0,a,5,6,1\n"
	_, err := ReadCSV(strings.NewReader(both), "w.csv")
	wantError(t, err, `w.csv:2: job 1: mem_per_cpu: got 6, allowed 0 beside mem_per_node=5
w.csv:2: job 1: exclusive: got 1, allowed 0 beside a range of GPUs: the job gets all of its nodes`)
}

func TestBadCSV(t *testing.T) {
	const good = "1,0,60,120,0,64,0,0,0,0,type1\n"
	for _, tc := range []struct{ name, content, want string }{
		{"all faults with their lines", csvHeader + "\n" +
			"1,-1,6.5,120,0,64,0,0,0,2,type1\n" +
			"2,0,60,120,0,64,0,0,0,type1\n" +
			"x,0, 60,+120,0,64,0,0,0,,type1\n" +
			"4,0,60,30,4,64,4,0,0,1,a b\n",
			`w.csv:2: arrival_s: got "-1", allowed a whole number
w.csv:2: runtime_s: got "6.5", allowed a whole number
w.csv:2: contiguous: got "2", allowed 0 or 1
w.csv:3: row: got 10 columns, allowed 11
w.csv:4: job_id: got "x", allowed a whole number
w.csv:4: runtime_s: got " 60", allowed a whole number
w.csv:4: limit_s: got "+120", allowed a whole number
w.csv:4: contiguous: got "", allowed 0 or 1
w.csv:5: job 4: limit_s: got 30, allowed runtime_s=60..31536000
w.csv:5: job 4: cores: got 64, allowed nodes*cores_per_node=16
w.csv:5: job 4: class: got "a b", allowed 1..32 of letters, digits, -, _ and .`},
		{"same id", csvHeader + "\n" + good + good, "w.csv:3: job 1: job_id: got 1, as in line 2, allowed each once"},
		{"empty line", csvHeader + "\n\n" + good, "w.csv:2: row: got 1 columns, allowed 11"},
		{"empty file", "", `w.csv:1: header: got "", allowed names of columns, as in docs/reference/files.md#workloadcsv`},
		{"no header", good, `w.csv:1: header: got "1,0,60,120,0,64,0,0,0,0,type1", allowed names of columns, as in docs/reference/files.md#workloadcsv`},
		{"unknown column", "job_id,arrival_s,runtime,limit_s\n" + good, `w.csv:1: header: got the column "runtime", allowed the columns of docs/reference/files.md#workloadcsv; did you mean "runtime_s"?`},
		{"unknown columns", csvHeader + ",colour,weight\n" + good, `w.csv:1: header: got the column "colour" and 1 more, allowed the columns of docs/reference/files.md#workloadcsv`},
		{"byte order mark", "\ufeff" + csvHeader + "\n" + good, `w.csv:1: header: got the column "\ufeffjob_id", allowed the columns of docs/reference/files.md#workloadcsv; did you mean "job_id"?`},
		{"missing columns", "job_id,arrival_s,runtime_s\n" + good, `w.csv:1: header: got no column limit_s and 7 more, allowed the first 11 columns of docs/reference/files.md#workloadcsv in each file`},
		{"other order", strings.Replace(csvHeader, "job_id,arrival_s", "arrival_s,job_id", 1) + "\n" + good, `w.csv:1: header: got arrival_s as column 1, allowed job_id there, in the order of docs/reference/files.md#workloadcsv`},
		{"twice", csvHeader + ",user,user\n" + good, `w.csv:1: header: got user as column 13, allowed each column once`},
		{"no jobs", csvHeader + "\n", "w.csv: jobs: got 0, allowed 1..100000"},
		{"too large a number", csvHeader + "\n1,0,1000000000,120,0,64,0,0,0,0,type1\n",
			`w.csv:2: runtime_s: got "1000000000", allowed a whole number`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ReadCSV(strings.NewReader(tc.content), "w.csv")
			wantError(t, err, tc.want)
		})
	}
}

// A fault in every line is not a screen full of faults, and none is silent.
func TestManyFaultsAreCounted(t *testing.T) {
	_, err := ReadCSV(strings.NewReader(csvHeader+"\n"+strings.Repeat("x\n", 50)), "w.csv")
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "w.csv: 30 more faults" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		jobs, err := drawSpec(t, m).Generate(m, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "outcomes") {
			for i := range jobs {
				drawOutcome(t, &jobs[i])
			}
		}
		if rapid.Bool().Draw(t, "options") {
			for i := range jobs {
				drawOptions(t, &jobs[i])
			}
		}
		if rapid.Bool().Draw(t, "terms") {
			for i := range jobs {
				drawTerms(t, jobs, i)
			}
		}
		var out bytes.Buffer
		if err = WriteCSV(&out, jobs); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		got, err := ReadCSV(&out, "w.csv")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, jobs) {
			t.Fatalf("got %+v, want %+v", got, jobs)
		}
		var streamed []Job
		if _, err = StreamCSV(strings.NewReader(text), "w.csv", func(j Job) { streamed = append(streamed, j) }); err != nil || !reflect.DeepEqual(streamed, jobs) {
			t.Fatalf("streamed %+v, %v, want %+v", streamed, err, jobs)
		}
	})
}

// drawTerms gives a job terms that it may have, and a dependency on one before it.
func drawTerms(t *rapid.T, jobs []Job, i int) {
	j := &jobs[i]
	j.Account = rapid.SampledFrom([]string{"", "astro", "b-i_o.2"}).Draw(t, "account")
	if rapid.Bool().Draw(t, "with a priority") {
		j.Priority = rapid.IntRange(0, maxPriority).Draw(t, "priority")
	} else {
		j.Nice = rapid.IntRange(-maxNice, maxNice).Draw(t, "nice")
	}
	j.BeginAfter = rapid.IntRange(0, maxSeconds).Draw(t, "begin after")
	if i == 0 || rapid.Bool().Draw(t, "independent") {
		return
	}
	other := jobs[rapid.IntRange(0, i-1).Draw(t, "other")]
	kinds := []Kind{After, AfterAny}
	if other.Outcome == Completed {
		kinds = append(kinds, AfterOK)
	}
	j.Dependency = Dependency{rapid.SampledFrom(kinds).Draw(t, "kind"), other.ID}.String()
}

// drawOptions gives a job options that it may have on some machine.
func drawOptions(t *rapid.T, j *Job) {
	j.Partition = rapid.SampledFrom([]string{"", "batch", "g.p-u_1"}).Draw(t, "partition")
	j.Features = rapid.SampledFrom([]string{"", "ib", "ib&big&x", "ib|big"}).Draw(t, "features")
	j.Exclusive = j.GPUsMin == j.GPUsMax && rapid.Bool().Draw(t, "exclusive")
	if memory := rapid.IntRange(0, 1<<26).Draw(t, "memory"); rapid.Bool().Draw(t, "per CPU") {
		j.MemPerCPU = memory
	} else {
		j.MemPerNode = memory
	}
	if j.GPUsMin > 0 && j.GPUsMin == j.GPUsMax {
		j.GPUType = rapid.SampledFrom([]string{"", "a100"}).Draw(t, "type of GPUs")
	}
}

// What is read can be written and read again as the same jobs.
func FuzzReadCSV(f *testing.F) {
	f.Add(csvHeader + "\n1,0,60,120,0,64,0,0,0,0,type1\n")
	f.Add(csvHeader + "\r\n7,3,61,180,2,8,4,1,2,1,gpu1-2\r\n8,3,61,180,2,9,0,0,0,0,x")
	f.Add(csvHeader + "\n1,0,60\n")
	f.Add(csvHeader + ",user\n1,0,60,120,0,64,0,0,0,0,type1,alice\n")
	f.Add(csvHeader + ",outcome\n1,0,60,60,0,64,0,0,0,0,type1,timeout\n")
	f.Add(csvHeader + ",nodes_max,outcome,cancel_after_s\n1,0,0,60,0,64,0,0,0,0,type1,0,cancelled_pending,60\n")
	f.Add(csvHeader + ",partition,mem_per_node,mem_per_cpu,features,gpu_type,exclusive\n1,0,60,60,0,64,0,1,1,0,type1,gpu,5,0,a&b,a100,1\n")
	f.Add(csvHeader + ",account,nice,priority,begin_after_s,dependency\n1,0,60,60,0,64,0,0,0,0,type1,astro,-5,0,7,\n2,0,60,60,0,64,0,0,0,0,type1,,0,9,0,afterok:1\n")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := ReadCSV(strings.NewReader(text), "f.csv")
		if err != nil {
			if jobs != nil || !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("%d jobs with error %v", len(jobs), err)
			}
			return
		}
		again, err := ReadCSV(strings.NewReader(csvOf(t, jobs)), "again.csv")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again, jobs) {
			t.Fatalf("got %+v, want %+v", again, jobs)
		}
	})
}
