package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// whatIfOf writes the folder of a what-if study of two days of a small site, without its runs: scenario slow, and scenario
// idle, in which nothing changes. It returns the runs by their names.
func whatIfOf(t *testing.T, folder string) map[string]run.Config {
	t.Helper()
	inputs := filepath.Join(folder, run.InputsName)
	if err := os.MkdirAll(inputs, 0o755); err != nil {
		t.Fatal(err)
	}
	machine, err := os.ReadFile("../../../../emulator/campaign/testdata/whatif/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dump := "JobIDRaw|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqTRES|AllocTRES|User|Account|Partition|QOS|NodeList\n"
	for day := 2; day <= 3; day++ {
		for i, user := range []string{"anna|physics", "ben|physics", "carl|biology"} {
			dump += fmt.Sprintf("%d|COMPLETED|2026-03-%02dT%02d:00:00|2026-03-%02dT%02d:00:00|2026-03-%02dT%02d:10:00|00:10:00|01:00:00|1|1|cpu=1,node=1|cpu=1,node=1|%s|batch|normal|cn01\n",
				10*day+i, day, i, day, i, day, i, user)
		}
	}
	const text = "base: {machine: site.yaml, policy: backfill, trace: dump.txt, days: 2026-03-02..2026-03-03}\n" +
		"scenarios: {slow: {settings: {bf_window: 5760}}, idle: {}}\nbackend: external\nslurm: \"26.05\"\n"
	for name, data := range map[string]string{"site.yaml": string(machine), "dump.txt": dump, "campaign.yaml": text} {
		if err = os.WriteFile(filepath.Join(inputs, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	study, err := campaign.Open(folder, campaign.FileOptions{Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	configs, err := study.Configs("", 0)
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]run.Config{}
	for _, c := range configs {
		runs[filepath.Base(c.Dir)] = c
	}
	return runs
}

// made writes a complete run of a study in which each job waits so many seconds.
func made(t *testing.T, c run.Config, wait int) {
	t.Helper()
	dir, err := trace.Create(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := c.Settings()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	names := append(accounting.SacctFields(), accounting.AccountField, accounting.QOSField)
	rows := strings.Join(names, "|") + "\n"
	for i, j := range c.Jobs {
		at := func(seconds int) string {
			return began.Add(time.Duration(seconds) * time.Second).Format("2006-01-02T15:04:05")
		}
		start := j.Arrival + wait
		const tres = "cpu=1,node=1"
		values := map[string]any{
			"JobID": i + 1, "JobName": j.ID, "User": j.User, accounting.AccountField: j.Account, accounting.QOSField: j.QOS, "Partition": j.Partition, "State": "COMPLETED", "ExitCode": "0:0",
			"Submit": at(j.Arrival), "Eligible": at(j.Arrival), "Start": at(start), "End": at(start + j.Runtime), "ElapsedRaw": j.Runtime, "TimelimitRaw": j.Limit / 60,
			"NNodes": 1, "NCPUS": 1, "ReqTRES": tres, "AllocTRES": tres, "NodeList": "n1",
		}
		fields := make([]string, len(names))
		for k, name := range names {
			fields[k] = fmt.Sprint(values[name])
		}
		rows += strings.Join(fields, "|") + "\n"
	}
	err = dir.WriteRun(trace.Run{
		SchemaVersion: trace.SchemaVersion, ID: filepath.Base(c.Dir), Settings: settings, Status: trace.StatusComplete, Jobs: len(c.Jobs), Submitted: len(c.Jobs), Started: began, Finished: began, RealSeconds: 1,
	})
	if err == nil {
		err = os.WriteFile(dir.SacctFile(), []byte(rows), 0o644)
	}
	if err == nil {
		err = trace.WriteAtomic(dir.WorkloadFile(), func(w io.Writer) error { return workloads.WriteCSV(w, c.Jobs) })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// whatIfPage is what these tests read of a what-if study.
type whatIfPage struct {
	WhatIf   bool         `json:"what_if"`
	Findings []string     `json:"findings"`
	Matrix   serve.Matrix `json:"matrix"`
	Sections []struct {
		Title    string
		Words    []string
		Warnings []string
		Pictures []struct{ Address string }
		Tables   []struct {
			Caption string
			Titles  []string
			Rows    [][]string
		}
	} `json:"sections"`
	Files []struct{ Name, Address string } `json:"files"`
}

// The folder of a what-if study has the sections of its report: the table of scenarios, a curve of waits and who is hurt. Until
// the base and a scenario have a run it says what is missing.
func TestWhatIfFolder(t *testing.T) {
	folder := t.TempDir()
	runs := whatIfOf(t, folder)
	made(t, runs["site-2026-03-02-slow-seed1"], 0)
	address := command(t, folder)
	at := folderAt(t, address)
	var early whatIfPage
	fetch(t, address, at, &early)
	if !early.WhatIf || len(early.Sections) != 0 || len(early.Matrix.Runs) != 6 || !slices.ContainsFunc(early.Findings, func(s string) bool { return strings.Contains(s, "5 runs of the study are not complete") }) {
		t.Errorf("without a run of the base: %+v", early)
	}
	if err := os.RemoveAll(runs["site-2026-03-02-slow-seed1"].Dir); err != nil {
		t.Fatal(err)
	}
	for name, wait := range map[string]int{
		"site-2026-03-02-base-seed1": 0, "site-2026-03-03-base-seed1": 60, "site-2026-03-02-slow-seed1": 7200, "site-2026-03-03-slow-seed1": 7290,
		"site-2026-03-02-idle-seed1": 0,
	} {
		made(t, runs[name], wait)
	}
	var page whatIfPage
	fetch(t, address, at, &page)
	var titles []string
	for _, s := range page.Sections {
		titles = append(titles, s.Title)
	}
	if want := []string{"What changes", "How long jobs wait", "Who is hurt"}; !slices.Equal(titles, want) {
		t.Fatalf("got the sections %q, want %q", titles, want)
	}
	table := page.Sections[0].Tables[0]
	scenario, change := slices.Index(table.Titles, "Scenario"), slices.Index(table.Titles, "Change h")
	if scenario < 0 || change < 0 || len(table.Rows) < 6 {
		t.Fatalf("the table has %q and %d rows", table.Titles, len(table.Rows))
	}
	if got := table.Rows[1]; got[scenario] != "slow" || got[change] != "+2.00" {
		t.Errorf("of all jobs under slow the table has %q", got)
	}
	if !slices.ContainsFunc(page.Sections[0].Warnings, func(s string) bool { return strings.Contains(s, "1 run of the study is not complete") }) {
		t.Errorf("the warnings are %q", page.Sections[0].Warnings)
	}
	if tables := page.Sections[2].Tables; len(tables) != 1 || tables[0].Caption != "slow" {
		t.Errorf("hurt are %+v", tables)
	}
	for _, c := range []struct{ path, want string }{
		{page.Sections[1].Pictures[0].Address, "slow, median"}, {page.Files[0].Address, "all jobs,slow,"}, {page.Files[1].Address, "slow,anna,"},
	} {
		answer, err := http.Get(address + c.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s, %v: lacks %q in %.300s", c.path, answer.Status, err, c.want, body)
		}
	}
	if answer, err := http.Get(address + at + "/picture/1"); err != nil || answer.StatusCode != http.StatusNotFound {
		t.Errorf("a picture that is not there: %v %v", answer, err)
	} else {
		_ = answer.Body.Close()
	}
}
