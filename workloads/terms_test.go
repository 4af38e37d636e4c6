package workloads

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const termsHeader = csvHeader + ",account,nice,priority,begin_after_s,dependency\n"

// Each term has a column, there only if a job asks for it, after the columns of the options.
func TestCSVWithTerms(t *testing.T) {
	jobs := []Job{
		{ID: 3, Runtime: 60, Limit: 120, Cores: 64, Class: "a", User: "eve", Terms: Terms{Account: "astro", Nice: -7, BeginAfter: 3600}},
		{ID: 2, Runtime: 60, Limit: 120, Cores: 64, Class: "b", Options: Options{Exclusive: true}, Terms: Terms{Priority: 5, Dependency: "afterok:3"}},
		{ID: 1, Arrival: 9, Runtime: 60, Limit: 120, Cores: 64, Class: "c", Terms: Terms{Dependency: "after:2"}},
	}
	text := csvOf(t, jobs)
	const want = csvHeader + ",user,exclusive,account,nice,priority,begin_after_s,dependency\n" +
		"3,0,60,120,0,64,0,0,0,0,a,eve,0,astro,-7,0,3600,\n" +
		"2,0,60,120,0,64,0,0,0,0,b,,1,,0,5,0,afterok:3\n" +
		"1,9,60,120,0,64,0,0,0,0,c,,0,,0,0,0,after:2\n"
	if text != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
	if got, err := ReadCSV(strings.NewReader(text), "w.csv"); err != nil || !reflect.DeepEqual(got, jobs) {
		t.Errorf("read %+v, %v", got, err)
	}
	data, err := json.Marshal(jobs)
	var got []Job
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	if err != nil || !reflect.DeepEqual(got, jobs) {
		t.Errorf("the cluster is told %+v, %v", got, err)
	}
	// A job is charged to its account, or to its user.
	for i, want := range []string{"astro", "", ""} {
		if got := jobs[i].ChargedTo(); got != want {
			t.Errorf("job %d is charged to %q, want %q", jobs[i].ID, got, want)
		}
	}
	if got := (Job{User: "eve"}).ChargedTo(); got != "eve" {
		t.Errorf("charged to %q", got)
	}
}

// Both readers of a workload name the same line, column and what is allowed.
func TestBadTerms(t *testing.T) {
	const first = "1,0,60,120,0,64,0,0,0,0,a,,0,0,0,\n2,5,60,120,0,64,0,0,0,0,a,,0,0,0,\n"
	const rule = "allowed " + dependencyRule
	for _, c := range []struct{ row, want string }{
		{"3,5,60,120,0,64,0,0,0,0,a,As tro,0,0,0,", `job 3: account: got "As tro", allowed ` + userRule},
		{"3,5,60,120,0,64,0,0,0,0,a,,x,0,0,", `nice: got "x", allowed a whole number`},
		{"3,5,60,120,0,64,0,0,0,0,a,,-0,0,0,", `nice: got "-0", allowed a whole number`},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,-1,0,", `priority: got "-1", allowed a whole number`},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,4294967295,0,", `priority: got "4294967295", allowed a whole number`},
		{"3,5,60,120,0,64,0,0,0,0,a,,5,7,0,", "job 3: nice: got 5, allowed 0 beside priority=7, of which Slurm takes nothing off"},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,31536001,", "job 3: begin_after_s: got 31536001, allowed 0..31536000"},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,0,1", `job 3: dependency: got "1", ` + rule},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,0,afternotok:1", `job 3: dependency: got "afternotok:1", ` + rule},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,0,after:01", `job 3: dependency: got "after:01", ` + rule},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,0,after:1:2", `job 3: dependency: got "after:1:2", ` + rule},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,0,after:3", `job 3: dependency: got "after:3", allowed the job_id of an earlier row, not the job's own`},
		{"3,5,60,120,0,64,0,0,0,0,a,,0,0,0,after:7", `job 3: dependency: got "after:7", allowed the job_id of an earlier row; no row before this one has job_id 7`},
		{"3,4,60,120,0,64,0,0,0,0,a,,0,0,0,afterok:2", `job 3: dependency: got "afterok:2", allowed a job that arrives no later than arrival_s=4; job 2 arrives at 5 s`},
	} {
		text := termsHeader + first + c.row + "\n"
		_, err := ReadCSV(strings.NewReader(text), "w.csv")
		wantError(t, err, "w.csv:4: "+c.want)
		_, err = StreamCSV(strings.NewReader(text), "w.csv", func(Job) {})
		wantError(t, err, "w.csv:4: "+c.want)
	}
	// Of jobs that wait for each other one names a later row.
	_, err := ReadCSV(strings.NewReader(termsHeader+"1,0,60,120,0,64,0,0,0,0,a,,0,0,0,afterany:2\n2,0,60,120,0,64,0,0,0,0,a,,0,0,0,afterany:1\n"), "w.csv")
	wantError(t, err, `w.csv:2: job 1: dependency: got "afterany:2", allowed the job_id of an earlier row; no row before this one has job_id 2`)
}

// A job that waits for the success of one that is to end otherwise would never start.
func TestDependencyThatIsNeverFulfilled(t *testing.T) {
	for _, outcome := range Outcomes() {
		for _, kind := range []Kind{After, AfterAny, AfterOK} {
			j := Job{ID: 1, Runtime: 60, Limit: 60, Cores: 1, Class: "a", Outcome: outcome}
			if outcome == CancelledPending {
				j.Runtime, j.CancelAfter = 0, 5
			}
			var out strings.Builder
			err := WriteCSV(&out, []Job{j, {ID: 2, Runtime: 60, Limit: 60, Cores: 1, Class: "a", Terms: Terms{Dependency: Dependency{kind, 1}.String()}}})
			if never := kind == AfterOK && outcome != Completed; never != (err != nil) {
				t.Errorf("%s a job that is %s: %v", kind, outcome, err)
			} else if never {
				wantError(t, err, `write workload: job 2: dependency: got "afterok:1", allowed afterany:1, as job 1 ends as `+outcome.String()+` and afterok would never be fulfilled`)
			}
		}
	}
}

// No job of a window waits for one of another.
func TestWindowsCutDependencies(t *testing.T) {
	w, err := Load(write(t, "w.csv", csvHeader+",dependency\n1,0,60,120,0,1,0,0,0,0,a,\n2,1,60,120,0,1,0,0,0,0,a,after:1\n3,100,60,120,0,1,0,0,0,0,a,after:2\n4,100,60,120,0,1,0,0,0,0,a,afterany:3\n"))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := w.Windows(2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range append(parts, w) {
		jobs, err := part.Jobs(machine(t, "S"), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			got = append(got, j.Dependency)
		}
	}
	if want := []string{"", "after:1", "", "afterany:3", "", "after:1", "after:2", "afterany:3"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What knows less than a job asks for refuses it, and says what it knows.
func TestCheckPlainOfTerms(t *testing.T) {
	agents := []string{"nice", "begin_after_s"}
	all := Job{ID: 4, Terms: Terms{Account: "astro", Nice: 3, BeginAfter: 60, Dependency: "after:1"}}
	wantError(t, CheckPlain("a rehearsal", []Job{{ID: 1, Terms: Terms{Account: "astro"}}, all}),
		"workload: a rehearsal knows nodes, cores and GPUs alone, and 1 of 2 jobs ask for more: job 4 has nice=3, begin_after_s=60, dependency=after:1")
	wantError(t, CheckPlain("policy auction", []Job{{ID: 1}, all}, agents...),
		"workload: policy auction knows nodes, cores, GPUs, nice and begin_after_s alone, and 1 of 2 jobs ask for more: job 4 has dependency=after:1")
	all.Dependency = ""
	if err := CheckPlain("policy auction", []Job{all}, agents...); err != nil {
		t.Error(err)
	}
}
