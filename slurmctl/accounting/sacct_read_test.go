package accounting

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
)

const header = "JobID|JobName|User|Partition|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|NCPUS|ReqTRES|AllocTRES|NodeList\n"

const goodLine = "7|1|root|main|COMPLETED|0:0|2024-01-01T00:00:00|2024-01-01T00:00:01|2024-01-01T00:00:02|2024-01-01T00:00:12|10|60|64|512|billing=512,cpu=512,gres/gpu=128,node=64|billing=512,cpu=512,gres/gpu=128,node=64|n[1-63],n70\n"

func TestReadRow(t *testing.T) {
	rows, err := ReadSacct(strings.NewReader(header+goodLine), "sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	tres := map[string]string{"billing": "512", "cpu": "512", "gres/gpu": "128", "node": "64"}
	nodes := make([]int, 64)
	for i := range nodes {
		nodes[i] = i
	}
	nodes[63] = 69
	want := Row{
		JobID: 7, JobName: "1", User: "root", Partition: "main", State: "COMPLETED", ExitCode: "0:0",
		Submit:   time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		Eligible: time.Date(2024, 1, 1, 0, 0, 1, 0, time.UTC),
		Start:    time.Date(2024, 1, 1, 0, 0, 2, 0, time.UTC),
		End:      time.Date(2024, 1, 1, 0, 0, 12, 0, time.UTC),
		Elapsed:  10, TimeLimit: 60, Nodes: 64, Cores: 512, ReqTRES: tres, AllocTRES: tres, NodeList: nodes,
	}
	if len(rows) != 1 || !reflect.DeepEqual(rows[0], want) {
		t.Errorf("got %+v\nwant %+v", rows, want)
	}
}

// A table requested with accounts has the account of each job. It is read like a table without accounts.
func TestReadAccounts(t *testing.T) {
	asked := SacctArgv(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), []string{AccountField, QOSField}, "COMPLETED")
	format := asked[len(asked)-2]
	if want := "--format=" + strings.ReplaceAll(strings.TrimSuffix(header, "\n"), "|", ",") + ",Account,QOS"; format != want {
		t.Errorf("got %s, want %s", format, want)
	}
	rows, err := ReadSacct(strings.NewReader(strings.TrimSuffix(header, "\n")+"|Account|QOS\n"+strings.TrimSuffix(goodLine, "\n")+"|astro|debug\n"), "sacct.txt")
	if err != nil || rows[0].Account != "astro" || rows[0].QOS != "debug" {
		t.Errorf("got %+v, %v", rows, err)
	}
}

// The order of columns is whatever --format asked for, further ones may be
// there.
func TestReadColumnOrder(t *testing.T) {
	swap := func(line string) string {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		for i, j := 0, len(f)-1; i < j; i, j = i+1, j-1 {
			f[i], f[j] = f[j], f[i]
		}
		return strings.Join(append(f, "Extra"), "|") + "\n"
	}
	straight, err := ReadSacct(strings.NewReader(header+goodLine), "a")
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := ReadSacct(strings.NewReader(swap(header)+swap(goodLine)), "b")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(straight, swapped) {
		t.Errorf("got %+v\nwant %+v", swapped, straight)
	}
}

func TestReadNothingValues(t *testing.T) {
	line := "7|1|root|main|CANCELLED by 0|0:0|2024-01-01T00:00:00|Unknown|None|2024-01-01T00:00:12|0|UNLIMITED|1|1|cpu=1||None assigned\n"
	rows, err := ReadSacct(strings.NewReader(header+line), "sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := rows[0]
	if r.State != "CANCELLED" || !r.Eligible.IsZero() || !r.Start.IsZero() || r.TimeLimit != 0 || r.NodeList != nil || r.AllocTRES != nil {
		t.Errorf("got %+v", r)
	}
}

// A job that was requeued has several starts, and the fields of a start are enough.
func TestReadStarts(t *testing.T) {
	text := "Submit|Start|End\n2024-01-01T00:00:10|2024-01-01T00:00:11|2024-01-01T00:00:27\n2024-01-01T00:00:27|Unknown|Unknown\n"
	at := func(second int) time.Time { return time.Date(2024, 1, 1, 0, 0, second, 0, time.UTC) }
	want := []Start{{at(10), at(11), at(27)}, {Submit: at(27)}}
	if got, err := ReadStarts(strings.NewReader(text), "sacct"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := ReadStarts(strings.NewReader("Submit|Start\n"), "sacct"); err == nil || !strings.Contains(err.Error(), "sacct:1: field End is missing") {
		t.Errorf("got %v", err)
	}
}

func TestReadSacctFaults(t *testing.T) {
	edit := func(old, new string) string { return header + strings.Replace(goodLine, old, new, 1) }
	tests := []struct{ name, text, want string }{
		{"empty file", "", "sacct.txt:1: no header"},
		{"missing column", strings.Replace(header, "|NCPUS", "", 1), "sacct.txt:1: field NCPUS is missing"},
		{"double column", "JobID|" + header, "sacct.txt:1: field JobID is there twice"},
		{"short line", header + goodLine + "8|2|root\n", "sacct.txt:3: 3 fields, the header has 17"},
		{"empty line", header + "\n", "sacct.txt:2: 1 fields, the header has 17"},
		{"long line", edit("COMPLETED", "COMP|LETED"), "sacct.txt:2: 18 fields"},
		{"step", edit("7|", "7.batch|"), `sacct.txt:2: field JobID: "7.batch": want a whole number`},
		{"no state", edit("COMPLETED", ""), `field State: "": want`},
		{"bad number", edit("|512|", "|many|"), `field NCPUS: "many"`},
		{"negative", edit("|10|", "|-10|"), `field ElapsedRaw: "-10"`},
		{"bad limit", edit("|60|", "|1:00:00|"), `field TimelimitRaw: "1:00:00"`},
		{"bad time", edit("2024-01-01T00:00:02", "01/01-00:00:02"), `field Start: "01/01-00:00:02": want YYYY-MM-DDTHH:MM:SS`},
		{"fraction of a second", edit("2024-01-01T00:00:02", "2024-01-01T00:00:02.5"), "field Start"},
		{"ends before start", edit("2024-01-01T00:00:12", "2024-01-01T00:00:01"), "field End"},
		{"bad tres", edit("gres/gpu=128", "gres/gpu"), "field ReqTRES"},
		{"double tres", edit("gres/gpu=128", "cpu=128"), "field ReqTRES"},
		{"bad nodes", edit("n70", "m70"), "field NodeList"},
		{"wrong node count", edit(",n70", ""), `field NodeList: "n[1-63]": want 64 nodes as in NNodes, got 63`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadSacct(strings.NewReader(test.text), "sacct.txt")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestReadListsAllFaults(t *testing.T) {
	text := header + strings.Repeat("x\n", 50)
	_, err := ReadSacct(strings.NewReader(text), "s")
	if err == nil || strings.Count(err.Error(), "\n") != faults.Most || !strings.Contains(err.Error(), "s: 30 more faults") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadSacct(f *testing.F) {
	text, err := os.ReadFile("testdata/sacct.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(header + goodLine)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ReadSacct(strings.NewReader(text), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n"); len(rows) != lines {
			t.Errorf("%d rows of %d lines", len(rows), lines)
		}
	})
}

// Rows of jobs that a killed slurmctld has forgotten, and which were submitted again, are
// left out, and no others: neither a job that waits, nor one that was started again.
func TestWithoutForgotten(t *testing.T) {
	noon := time.Date(2029, 1, 1, 12, 0, 0, 0, time.UTC)
	later := noon.Add(time.Minute)
	rows := []Row{
		{JobID: 4, JobName: "4", State: "PENDING", Submit: noon},
		{JobID: 3, JobName: "3", State: "RUNNING", Submit: noon, Start: noon},
		{JobID: 2, JobName: "2", State: "RUNNING", Submit: noon, Start: noon},
		{JobID: 4, JobName: "7", State: "COMPLETED", Submit: noon, Start: noon, End: later},
		{JobID: 5, JobName: "4", State: "COMPLETED", Submit: later, Start: later, End: later},
		{JobID: 6, JobName: "3", State: "COMPLETED", Submit: noon, Start: later, End: later},
		{JobID: 7, JobName: "2", State: "RUNNING", Submit: later, Start: later},
		{JobID: 8, JobName: "8", State: "NODE_FAIL", Submit: noon, Start: noon, End: noon},
		{JobID: 8, JobName: "8", State: "RUNNING", Submit: later, Start: later},
		{JobID: 9, JobName: "9", State: "PENDING", Submit: noon},
	}
	if got := WithoutForgotten(rows); !reflect.DeepEqual(got, rows[2:]) {
		t.Errorf("got %+v, want all but the first two", got)
	}
	if rows[0].JobName != "4" {
		t.Error("the rows themselves were changed")
	}
}

// No more rows are kept than the largest workload can have.
func TestTooManyRows(t *testing.T) {
	_, err := ReadStarts(strings.NewReader("Submit|Start|End\n"+strings.Repeat("Unknown|Unknown|Unknown\n", mostRows+1)), "x")
	if want := "x:1000002: got more than 1000000 rows, allowed 1000000"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
