package events_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

func named(t *testing.T) workloads.Machine {
	t.Helper()
	m, err := workloads.ParseMachine("named.yaml", []byte(`name: named
groups:
  - {name: thin, count: 3, cores: 8, hosts: "cn[01-03]"}
  - {name: fat, count: 2, cores: 16, hosts: "gpu1,gpu7"}
down_nodes:
  - {nodes: "n[2,5]", state: down, reason: fan}
`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func noon() time.Time { return time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC) }

// recordHeader is that of sacctmgr -P show event, Slurm 26.05.
const recordHeader = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"

// The rows are in the form of "sacctmgr -P show event", and the states those of sinfo(1), "NODE STATE CODES".
func TestImport(t *testing.T) {
	text := recordHeader +
		"lille||2026-03-01T11:00:00|Unknown||Cluster Registered TRES|\n" +
		// Over before, and begun before.
		"lille|cn01|2026-03-01T09:00:00|2026-03-01T12:00:00|DOWN|early|root(0)\n" +
		"lille|cn02|2026-03-01T09:00:00|2026-03-01T12:10:00|DOWN*|Not responding|slurm(900)\n" +
		// Two nodes at once, and drained nodes that then go down, which are not resumed between.
		"lille|gpu1|2026-03-01T12:20:00|2026-03-01T12:30:00|IDLE+DRAIN|\"quoted\" reason|root(0)\n" +
		"lille|gpu7|2026-03-01T12:20:00|2026-03-01T12:30:00|DRAINING|\"quoted\" reason|root(0)\n" +
		"lille|gpu1|2026-03-01T12:30:00|2026-03-01T12:40:00|DOWN|power|root(0)\n" +
		// One within another.
		"lille|cn03|2026-03-01T12:20:00|2026-03-01T13:00:00|DRAIN||root(0)\n" +
		"lille|cn03|2026-03-01T12:25:00|2026-03-01T12:30:00|FAIL|memory|root(0)\n" +
		// Not over by the end, and later.
		"lille|cn01|2026-03-01T12:50:00|2026-03-01T15:00:00|DRAIN|late|root(0)\n" +
		"lille|cn01|2026-03-01T14:00:00|Unknown|DOWN|too late|root(0)\n" +
		// Other nodes and states.
		"lille|old1|2026-03-01T12:00:00|Unknown|DOWN|gone|root(0)\n" +
		"lille|cn02|2026-03-01T12:00:00|2026-03-01T12:01:00|POWERED_DOWN|idle|root(0)\n" +
		"lille|cn02|2026-03-01T12:00:00|2026-03-01T12:01:00|MAINT|res|root(0)\n"
	got, err := events.Import(strings.NewReader(text), "e.txt", named(t), events.Options{From: noon(), Until: noon().Add(2 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range got.Events {
		lines = append(lines, fmt.Sprintf("%d %s", e.At, e))
	}
	want := []string{
		"0 down n2 (Not responding)", "600 resume n2", "1200 drain n[4-5] (_quoted_ reason)", "1200 drain n3 (event)", "1500 drain n3 (memory)", "1800 resume n5",
		"1800 down n4 (power)", "2400 resume n4", "3000 drain n1 (late)", "3600 resume n3",
	}
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got.Rows != 12 || got.Outside != 2 || got.OtherNodes["old1"] != 1 || got.OtherStates["MAINT"] != 1 || got.OtherStates["POWERED_DOWN"] != 1 || got.InService != "n5" {
		t.Errorf("got %+v", got)
	}
}

func TestImportFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "e.txt: rows: got none"},
		{"Cluster NodeName\n", `e.txt:1: header: got "Cluster NodeName", allowed the names of columns`},
		{recordHeader + "a|b\n", "e.txt:2: fields: got 2, allowed 7 separated by '|'"},
		{recordHeader + "l|cn01|soon|Unknown|DOWN|x|r\nl|cn01|2026-03-01T12:00:00|never|DOWN|x|r\n", `e.txt:2: TimeStart: got "soon", allowed a time such as 2026-03-01T08:00:00` + "\n" + `e.txt:3: TimeEnd: got "never"`},
		{recordHeader + "l|cn01|2026-03-01T12:00:00|2026-03-01T11:00:00|DOWN|x|r\n", "e.txt:2: TimeEnd: "},
	} {
		_, err := events.Import(strings.NewReader(tt.text), "e.txt", named(t), events.Options{From: noon()})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
	_, err := events.Import(strings.NewReader(recordHeader), "e.txt", grouped(t), events.Options{From: noon()})
	if err == nil || !strings.Contains(err.Error(), "machine: g does not say what its nodes are called at their site") {
		t.Errorf("got %v", err)
	}
}

// Administrators and health checks write the reasons. The columns before and after them are known, so what is between is the reason.
func TestImportReasons(t *testing.T) {
	text := recordHeader +
		"c|cn01|2026-03-01T12:10:00|2026-03-01T13:00:00|DRAIN|NHC: ps ax | wc is high|root(0)\n" +
		"c|cn02|2026-03-01T12:20:00|2026-03-01T13:00:00|DOWN*|a|b||root(0)\n" +
		"c|cn03|2026-03-01T12:30:00|2026-03-01T13:00:00|DRNG|two\nlines|root(0)\n" +
		"c||2026-03-01T12:30:00|Unknown||Cluster Registered TRES|\n" +
		"c|gpu1|2026-03-01T12:40:00|Unknown|INVAL|Low RealMemory|slurm(900)\n"
	o := events.Options{From: noon(), Until: noon().Add(50 * time.Minute)}
	want := "600 drain n1 (NHC: ps ax | wc is high); 1200 down n2 (a|b|); 1800 drain n3 (two_lines); 2400 drain n4 (Low RealMemory)"
	for _, separator := range []string{"|", ";", "~|~"} {
		again := text
		if separator != "|" {
			again = strings.NewReplacer("ps ax |", "ps ax |", "a|b|", "a|b|", "|", separator).Replace(text)
		}
		got, err := events.Import(strings.NewReader(again), "e.txt", named(t), o)
		var all []string
		for _, e := range got.Events {
			all = append(all, fmt.Sprintf("%d %s", e.At, e))
		}
		if err != nil || strings.Join(all, "; ") != want {
			t.Errorf("%s: got %s, %v, want %s", separator, strings.Join(all, "; "), err, want)
		}
	}
	o.SkipBad = true
	got, err := events.Import(strings.NewReader(text+"c|cn01|soon|Unknown|DOWN|x|r\na|b\n"), "e.txt", named(t), o)
	if err != nil || len(got.Events) != 4 || got.Skipped != 2 || len(got.Bad) != 2 || !strings.HasPrefix(got.Bad[0], `e.txt:8: TimeStart: got "soon"`) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The events of any record are a file that runs accept. At each second a node is out of service if and only if a row
// of the record says so.
func TestImportIsTheRecord(t *testing.T) {
	m := named(t)
	m.Layout.Down = nil
	hosts := []string{"cn01", "cn02", "cn03", "gpu1", "gpu7"}
	rapid.Check(t, func(t *rapid.T) {
		type row struct{ node, from, to int }
		var rows []row
		text := recordHeader
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			r := row{node: rapid.IntRange(0, 4).Draw(t, "node"), from: rapid.IntRange(-20, 90).Draw(t, "from")}
			r.to = r.from + rapid.IntRange(0, 40).Draw(t, "seconds")
			end := noon().Add(time.Duration(r.to) * time.Second).Format("2006-01-02T15:04:05")
			// A second is the least.
			r.to = max(r.to, r.from+1)
			if rapid.IntRange(0, 9).Draw(t, "open") == 0 {
				r.to, end = 1000, "Unknown"
			}
			rows = append(rows, r)
			text += fmt.Sprintf("l|%s|%s|%s|%s|%s|r\n", hosts[r.node], noon().Add(time.Duration(r.from)*time.Second).Format("2006-01-02T15:04:05"), end,
				rapid.SampledFrom([]string{"DOWN", "DRAIN", "MIXED+DRAIN"}).Draw(t, "state"), rapid.StringN(0, 8, 8).Filter(func(s string) bool { return !strings.ContainsAny(s, "|\n\r") }).Draw(t, "reason"))
		}
		got, err := events.Import(strings.NewReader(text), "e.txt", m, events.Options{From: noon(), Until: noon().Add(100 * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Events) > 0 {
			var file bytes.Buffer
			if err = events.Write(&file, got.Events); err != nil {
				t.Fatal(err)
			}
			again, err := events.Read(&file, "e.csv", m)
			if err != nil || !slices.Equal(again, got.Events) {
				t.Fatalf("%v became %v, %v", got.Events, again, err)
			}
		}
		out := [5]bool{}
		next := 0
		for second := range 100 {
			for ; next < len(got.Events) && got.Events[next].At <= second; next++ {
				for _, n := range got.Events[next].Indices() {
					out[n] = got.Events[next].Kind != events.Resume
				}
			}
			var want [5]bool
			for _, r := range rows {
				want[r.node] = want[r.node] || r.from <= second && second < r.to
			}
			if out != want {
				t.Fatalf("second %d: %v are out of service, want %v; events %v", second, out, want, got.Events)
			}
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add(recordHeader + "l|cn01|2026-03-01T12:00:00|Unknown|DOWN|x|r\n")
	f.Add(recordHeader + "c|cn01|2026-03-01T08:10:00|2026-03-01T09:00:00|DRAIN|NHC: ps ax | wc is high|root(0)\n")
	f.Add("NodeName|TimeStart|TimeEnd|State|\ncn02|2026-03-01T12:00:00|2026-03-01T13:00:00|DRAIN|\n")
	m, err := workloads.ParseMachine("m.yaml", []byte("groups:\n  - {name: thin, count: 3, cores: 8, hosts: \"cn[01-03]\"}\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := events.Import(strings.NewReader(text), "e.txt", m, events.Options{From: noon()})
		if err != nil || len(got.Events) == 0 {
			return
		}
		var file bytes.Buffer
		if err = events.Write(&file, got.Events); err != nil {
			t.Fatal(err)
		}
		if again, err := events.Read(&file, "e.csv", m); err != nil || !slices.Equal(again, got.Events) {
			t.Fatalf("%q: %v became %v, %v", text, got.Events, again, err)
		}
	})
}
