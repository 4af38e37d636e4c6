package interchange_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// A run has arrivals within a year. A longer trace is one fault, not one for each later job.
func TestTraceLongerThanAYear(t *testing.T) {
	const swf = "; UnixStartTime: 1700000000\n1 0 10 60 1 -1 -1 1 120 -1 1 1 1 1 1 1 -1 -1\n2 31538263 0 600 1 -1 -1 1 900 -1 1 2 1 1 1 1 -1 -1\n3 31538264 0 600 1 -1 -1 1 900 -1 1 2 1 1 1 1 -1 -1\n"
	const advice = "t: too long: jobs of a run arrive within 31536000 s (365 days), and 2 come later; take a part of the trace with --from, --until or --jobs"
	wantFaults(t, "swf", swf, optionsS(), advice+", jobs of the trace are submitted from 2023-11-14T22:13:20 to 2024-11-13T22:51:04")
	const sacct = "JobIDRaw|State|Submit|Start|End|NNodes|NCPUS\n"
	_, _, err := importText("sacct", sacct+"1|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:05|2024-01-01T00:10:05|1|8\n"+
		"2|COMPLETED|2025-03-01T00:00:00|2025-03-01T00:00:05|2025-03-01T00:10:05|1|8\n3|COMPLETED|2025-03-02T00:00:00|2025-03-02T00:00:05|2025-03-02T00:10:05|1|8\n", optionsS())
	if err == nil || !strings.HasPrefix(err.Error(), advice) {
		t.Errorf("got %v", err)
	}
	// A part of it, a faster one, and one without the later jobs.
	o := optionsS()
	o.Rescale.MaxJobs = 1
	wantRows(t, "swf", swf, o, "1,0,60,120,0,1,0,0,0,0,type1,user1")
	o = optionsS()
	o.Rescale.ArrivalFactor = 0.5
	wantRows(t, "swf", swf, o, "1,0,60,120,0,1,0,0,0,0,type1,user1", "2,15769131,600,900,0,1,0,0,0,0,type1,user2", "3,15769132,600,900,0,1,0,0,0,0,type1,user2")
	o = optionsS()
	o.SkipBad = true
	s := wantRows(t, "swf", swf, o, "1,0,60,120,0,1,0,0,0,0,type1,user1")
	if want := "records: 3 read, 1 jobs, 2 left out (more than a year after the first job)"; s.Text()[0] != want {
		t.Errorf("got %s, want %s", s.Text()[0], want)
	}
}

// Slurm's ids begin with 1. Batsim's and those of other traces may begin with 0, or be too large.
func TestIDsThatSlurmDoesNotHave(t *testing.T) {
	const rule = ", allowed a whole number in 1..999999999 (of sacct: JobIDRaw), or any with renumbering (--renumber)"
	const batsim = `{"nb_res": 2, "jobs": [{"id": 0, "subtime": 10, "walltime": 120, "res": 1, "profile": "d"}, {"id": 1, "subtime": 20, "walltime": 120, "res": 1, "profile": "d"}],
 "profiles": {"d": {"type": "DelayProfile", "delay": 20}}}`
	wantFaults(t, "batsim", batsim, optionsS(), `t:1: job id: got "0"`+rule)
	swf := "0 0 10 60 1 -1 -1 1 120 -1 1 1 1 1 1 1 -1 -1\n1000000000 0 10 60 1 -1 -1 1 120 -1 1 1 1 1 1 1 -1 -1\n"
	wantFaults(t, "swf", swf, optionsS(), `t:1: job id: got "0"`+rule, `t:2: job id: got "1000000000"`+rule)
	o := optionsS()
	o.Renumber = true
	wantRows(t, "batsim", batsim, o, "1,0,20,120,0,1,0,0,0,0,type1", "2,10,20,120,0,1,0,0,0,0,type1")
	wantRows(t, "swf", swf, o, "1,0,60,120,0,1,0,0,0,0,type1,user1", "2,0,60,120,0,1,0,0,0,0,type1,user1")
}

// The import takes the requested processors (SWF 2.2, field 8) before the allocated ones (field 5), and counts where they differ.
func TestSWFAllocatedIsNotRequested(t *testing.T) {
	text := "1 0 0 76 512 -1 -1 32 1200 -1 1 1 1 1 1 1 -1 -1\n2 10 0 342 9 -1 -1 72 259200 -1 1 1 1 1 1 1 -1 -1\n" +
		// The same, and only one of them known.
		"3 10 0 342 72 -1 -1 72 259200 -1 1 1 1 1 1 1 -1 -1\n4 10 0 342 9 -1 -1 -1 259200 -1 1 1 1 1 1 1 -1 -1\n5 10 0 342 -1 -1 -1 72 259200 -1 1 1 1 1 1 1 -1 -1\n"
	s := wantRows(t, "swf", text, optionsS(), "1,0,76,1200,0,32,0,0,0,0,type1,user1", "2,10,342,259200,0,72,0,0,0,0,type1,user1", "3,10,342,259200,0,72,0,0,0,0,type1,user1",
		"4,10,342,259200,0,9,0,0,0,0,type1,user1", "5,10,342,259200,0,72,0,0,0,0,type1,user1")
	if want := "adjusted: 2 whose allocated processors are not those requested got the latter"; s.Text()[1] != want {
		t.Errorf("got %s, want %s", s.Text()[1], want)
	}
}

// The extended format of Alea, which the trace of Frontier has, ends in used GPUs, soft wall time and properties. Its field of allocated processors is
// no number of processors, so nodes and processors come from the properties.
func TestSWFOfFrontier(t *testing.T) {
	m, err := workloads.ParseMachine("f.yaml", []byte("name: f\nnodes: 4\ncores: 112\ngpus: 8\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := interchange.ImportOptions{Machine: m}
	const standard = " 0 10 600 3 -1 -1 3 3600 -1 1 1 1 -1 1 -1 -1 -1 "
	s := wantRows(t, "swf", "1"+standard+"16 1800 frontier:excl:2x112\n2"+standard+"8 -1 frontier:1x56\n3"+standard+"0 0 -1\n4"+standard+"-1 -1 all\n"+
		"5 0 10 600 -1 -1 -1 -1 3600 -1 1 1 1 -1 1 -1 -1 -1 32 1800 frontier:excl:4x112\n", o,
		"1,0,600,3600,2,224,112,8,8,0,gpu8,user1,1", "2,0,600,3600,1,56,56,8,8,0,gpu8,user1,0", "3,0,600,3600,0,3,0,0,0,0,type1,user1,0", "4,0,600,3600,0,3,0,0,0,0,type1,user1,0",
		"5,0,600,3600,4,448,112,8,8,0,gpu8,user1,1")
	if want := "ignored: expected run times (soft wall time) of 2 jobs"; s.Text()[1] != want {
		t.Errorf("got %s, want %s", s.Text()[1], want)
	}
	if origin := strings.Join(s.Origin(), "\n"); !strings.Contains(origin, "Frontier of OLCF") || !strings.Contains(origin, "cite ") {
		t.Errorf("got\n%s\nwant the citation of Frontier's trace", origin)
	}
	wantFaults(t, "swf", "1"+standard+"x 1800 all\n2"+standard+"1 soon all\n3"+standard+"1 1 frontier:70000x56\n4"+standard+"8 1 all\n5"+standard+"1 1\n6"+standard+"1 1 1x1 7\n", o,
		`t:1: used GPUs: got "x", allowed a whole number from 0, or -1 for unknown`, `t:2: soft wall time: got "soon", allowed a number from 0, or -1 for unknown`,
		`t:3: properties: got "frontier:70000x56", allowed properties such as all:excl:2x4, for nodes and the processors of each, or -1 without GPUs`,
		`t:4: properties: got "all", allowed properties such as all:excl:2x4, for nodes and the processors of each, or -1 without GPUs`,
		"t:5: fields: got 20, allowed 18 separated by spaces", "t:6: fields: got 22, allowed 18 separated by spaces")
}
