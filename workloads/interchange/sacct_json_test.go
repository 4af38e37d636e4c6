package interchange_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// The members of a job are those of JOB in src/plugins/data_parser/v0.0.43/parsers.c.
const jsonDump = `{"meta": {"Slurm": {"release": "23.02.8"}, "command": ["sacct", "--json"]}, "jobs": [{"job_id": 12, "account": "lab", "user": "eve", "partition": "p", "allocation_nodes": 1, "nodes": "n1",
 "time": {"elapsed": 326, "eligible": 1741662977, "end": 1741668146, "start": 1741667820, "submission": 1741662974, "limit": {"set": true, "infinite": false, "number": 60}},
 "state": {"current": ["COMPLETED"], "reason": "None"}, "required": {"CPUs": 1, "memory_per_cpu": {"set": true, "number": 3840}},
 "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 1}, {"type": "mem", "name": "", "id": 2, "count": 3840}, {"type": "node", "name": "", "id": 4, "count": 1}]}}]}
`

// jsonOf is a dump of these jobs.
func jsonOf(jobs ...string) string {
	return "{\n \"jobs\": [\n" + strings.Join(jobs, ",\n") + "\n ],\n \"errors\": []\n}\n"
}

const jsonTimes = `"time": {"elapsed": 600, "eligible": 1741662974, "end": 1741663584, "start": 1741662984, "submission": 1741662974, "limit": {"set": false, "infinite": true, "number": 0}}`

func TestSacctJSON(t *testing.T) {
	wantRows(t, "sacct", jsonDump, optionsS(), "12,0,326,3600,1,1,1,0,0,0,type3,eve,lab,3")
	m, err := workloads.ParseMachine("m.yaml", []byte("name: m\ngroups:\n  - {name: g, count: 4, cores: 64, memory: 64GiB, gpus: {A100: 4}}\npartitions:\n  - {name: p, groups: [g], default: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := interchange.ImportOptions{Machine: m}
	s := wantRows(t, "sacct", jsonOf(
		// A task of an array with GPUs, and pipes and line ends in what the user wrote. Steps are passed over.
		`{"job_id": 20, "array": {"job_id": 17, "task_id": {"set": true, "infinite": false, "number": 3}, "limits": {"max": {"running": {"tasks": 2}}}}, "user": "eve", "submit_line": "sbatch --wrap=a | b\n\"c\"",
 "steps": [{"step": {"id": "20.0", "name": "}]"}}], "script": "{", "allocation_nodes": 2, "nodes": "g[1-2]", `+jsonTimes+`, "state": {"current": ["TIMEOUT"]}, "required": {"CPUs": 16, "memory_per_node": {"set": true, "infinite": false, "number": 2048}},
 "tres": {"requested": [{"type": "cpu", "count": 16}, {"type": "gres", "name": "gpu:a100", "count": 4}], "allocated": [{"type": "cpu", "count": 16}, {"type": "energy", "count": 18446744073709551614}, {"type": "gres", "name": "gpu", "count": 4}, {"type": "gres", "name": "gpu:a100", "count": 4}]}}`,
		// The form of Slurm up to 22.05: a word for the state, plain numbers, memory with a flag, and the user of the association alone.
		`{"job_id": 21, "association": {"user": "adam", "account": "bio"}, "allocation_nodes": 1, "required": {"CPUs": 4, "memory": 9223372036854779648}, "state": {"current": "COMPLETED"},
 "time": {"elapsed": 600, "eligible": 1741662974, "end": 1741663584, "start": 1741662984, "submission": 1741662974, "limit": 60}, "tres": {"allocated": [{"type": "cpu", "count": 4}]}}`,
		// It never started, was cancelled while it waited, and still waits.
		`{"job_id": 22, "time": {"elapsed": 0, "end": 1741663584, "start": 1741663584, "submission": 1741662974}, "nodes": "None assigned", "state": {"current": ["DEADLINE"]}, "required": {"CPUs": 4}}`,
		`{"job_id": 23, "user": "eve", "time": {"elapsed": 0, "eligible": 1741662974, "end": 1741663584, "start": 1741663584, "submission": 1741662974, "limit": {"set": true, "number": 10}}, "nodes": "None assigned", "state": {"current": ["CANCELLED"]}, "required": {"CPUs": 4}, "tres": {"requested": [{"type": "cpu", "count": 4}, {"type": "node", "count": 1}]}}`,
		`{"job_id": 24, "time": {"elapsed": 0, "end": 0, "start": 0, "submission": 1741662974}, "state": {"current": ["PENDING"]}}`,
		`{"job_id": 25, "het": {"job_id": 25, "job_offset": {"set": true, "number": 1}}, "allocation_nodes": 1, `+jsonTimes+`, "state": {"current": ["COMPLETED"]}, "tres": {"allocated": [{"type": "cpu", "count": 4}]}}`,
	), o,
		"20,0,600,600,2,16,8,2,2,0,gpu2,eve,timeout,0,2048,0,A100,,17%2", "21,0,600,3600,1,4,4,0,0,0,type3,adam,completed,0,0,3840,,bio,",
		"23,0,0,600,1,4,4,0,0,0,type3,eve,cancelled_pending,610,0,0,,,", "25,0,600,1020,1,4,4,0,0,0,type3,,completed,0,0,0,,,")
	if want := "records: 6 read, 4 jobs, 2 left out (never ran)"; s.Text()[0] != want {
		t.Errorf("got %s, want %s", s.Text()[0], want)
	}
}

// JSON has the segment from Slurm 25.05 on. The line of sbatch has it before, and partitions and segments of a task of a limited array as well.
func TestSacctJSONOfBlocks(t *testing.T) {
	o := interchange.ImportOptions{Machine: machine(t, "name: b\ngroups:\n  - {name: g, count: 8, cores: 8}\npartitions:\n  - {name: p, groups: [g], default: true}\n  - {name: q, groups: [g]}\nblocks: {nodes: 4}\n")}
	job := func(id int, more string) string {
		return fmt.Sprintf(`{"job_id": %d, "allocation_nodes": 8, "partition": "p", %s, "state": {"current": ["COMPLETED"]}, "tres": {"allocated": [{"type": "cpu", "count": 8}]}%s}`, id, jsonTimes, more)
	}
	const rest = ",0,600,1020,8,8,1,0,0,0,type3,"
	wantRows(t, "sacct", jsonOf(job(1, `, "segment_size": 4, "submit_line": "sbatch --segment=2 a.sh"`), job(2, `, "segment_size": 0, "submit_line": "sbatch a.sh --segment=2"`),
		job(3, `, "submit_line": "sbatch --segment=2 -p p,q a.sh", "array": {"job_id": 3, "task_id": {"set": true, "number": 1}, "limits": {"max": {"running": {"tasks": 2}}}}`)), o,
		"1"+rest+"p,4,", "2"+rest+"p,0,", "3"+rest+"p&q,2,3%2")
}

// Runs of a requeued job stay apart in a minified dump, which has all jobs on one line.
func TestSacctJSONRequeued(t *testing.T) {
	run := func(state string, submit int) string {
		return fmt.Sprintf(`{"job_id":6,"user":"eve","allocation_nodes":1,"time":{"elapsed":60,"end":%d,"start":%d,"submission":%d},"state":{"current":["%s"]},"tres":{"allocated":[{"type":"cpu","count":4}]}}`, submit+60, submit, submit, state)
	}
	text := `{"jobs":[` + run("COMPLETED", 1741663000) + "," + run("NODE_FAIL", 1741662000) + "]}"
	s := wantRows(t, "sacct", text, optionsS(), "6,0,60,240,1,4,4,0,0,0,type3,eve")
	if want := "records: 2 read, 1 jobs, 1 left out (earlier runs of jobs that were requeued: 6)"; s.Text()[0] != want {
		t.Errorf("got %s, want %s", s.Text()[0], want)
	}
}

func TestBadSacctJSON(t *testing.T) {
	good := `{"job_id": 1, "allocation_nodes": 1, ` + jsonTimes + `, "state": {"current": ["COMPLETED"]}, "tres": {"allocated": [{"type": "cpu", "count": 4}]}}`
	wantFaults(t, "sacct", jsonOf(
		strings.Replace(good, "1741662984", `"soon"`, 1), strings.Replace(good, `"job_id": 1`, `"job_id": 2, "user": 7`, 1),
		strings.Replace(strings.Replace(good, `"job_id": 1`, `"job_id": 3`, 1), "1741663584", "1741662980", 1), strings.Replace(good, `["COMPLETED"]`, "[]", 1), strings.Replace(good, `"count": 4`, `"count": 0`, 1), good), optionsS(),
		`t:3: job 1: JSON: got "soon", allowed a whole number from 0, allowed a job of sacct --json`,
		`t:4: job 2: user: got number, allowed string`,
		`t:5: job 3: time.end: got "1741662980", allowed no time before time.start`,
		`t:6: job 1: state.current: got "", allowed Slurm's word for a job's state`,
		`t:7: job 1: required.CPUs: got "0", allowed a whole number from 1`)
	for text, want := range map[string]string{
		`{"jobs": [{"job_id": 1`:     `t:1: JSON: got the end of the text, allowed a whole object`,
		`{"meta": {}, "errors": []}`: `t:1: JSON: got no list "jobs", allowed an object with it`,
		`{"jobs": 7}`:                `t:1: JSON: got '7', allowed '['`,
		"{\"jobs\": [\n7]}":          `t:2: JSON: got '7', allowed an object`,
		// RFC 8259: a comma separates values, and a text is one value.
		`{"jobs": [{"job_id": 1 2}]}`:       `t:1: JSON: got two values with white space between them, allowed a comma`,
		`{"jobs": []}` + "\n{\"jobs\": []}": `t:2: JSON: got '{' behind the object, allowed one object: import each dump by itself`,
		`{"jobs": [], "errors": [1 2]}`:     `t:1: JSON: got two values with white space between them, allowed a comma`,
		`{"jobs": [], "errors": []`:         `t:1: JSON: got the end of the text, allowed a whole object`,
		`{"jobs": [] "errors": []}`:         `t:1: JSON: got '"', allowed ','`,
		`{"jobs": [], "a": 1, "b": [}]`:     `t:1: JSON: got ']', allowed ','`,
	} {
		wantFaults(t, "sacct", text, optionsS(), want)
	}
}

func FuzzSacctJSON(f *testing.F) {
	f.Add(jsonDump)
	f.Add(`{"jobs":[{"job_id":1,"steps":[{"a":"]}\""}]},{}]}`)
	f.Add(`{"meta": 1, "jobs": []}`)
	f.Fuzz(func(t *testing.T, text string) {
		o := optionsS()
		o.SkipBad = true
		var rows bytes.Buffer
		if s, err := interchange.Import(source("t", text), "sacct", &rows, o); err == nil && s.Jobs != bytes.Count(rows.Bytes(), []byte("\n")) {
			t.Fatalf("%d jobs, %d rows", s.Jobs, bytes.Count(rows.Bytes(), []byte("\n")))
		}
	})
}
