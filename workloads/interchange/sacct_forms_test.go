package interchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// documented is the header of the command that docs/import.md gives.
const documented = "JobIDRaw|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqTRES|AllocTRES|User|Partition|ReqMem|Constraints|Account|QOS|Eligible|Reason|Licenses|Reservation|JobID|NodeList|SubmitLine\n"

// documentedRow is a job in these columns.
func documentedRow(id, constraints, line string) string {
	return id + "|COMPLETED|2026-03-01T08:00:00|2026-03-01T08:00:05|2026-03-01T08:20:05|00:20:00|01:00:00|1|8|cpu=8,mem=16G,node=1|cpu=8,mem=16G,node=1|eve|batch|16G|" +
		constraints + "|astro|normal|2026-03-01T08:00:00|None|||" + id + "|n1|" + line + "\n"
}

func twoFeatures(t *testing.T) interchange.ImportOptions {
	t.Helper()
	m, err := workloads.ParseMachine("m.yaml", []byte(`name: m
groups:
  - {name: a, count: 4, cores: 16, memory: 64GiB, features: [cpu-a]}
  - {name: b, count: 4, cores: 16, memory: 64GiB, features: [cpu-b]}
partitions:
  - {name: batch, groups: [a, b], default: true}
`))
	if err != nil {
		t.Fatal(err)
	}
	return interchange.ImportOptions{Machine: m}
}

// What users write has separators and line ends: they belong to the value (sacct(1), "SubmitLine", "Constraints").
func TestSacctPipes(t *testing.T) {
	row := func(id, features string) string {
		return id + ",0,1200,3600,1,8,8,0,0,0,type3,eve,batch,16384," + features + "astro"
	}
	for _, c := range []struct{ what, text, want string }{
		{"a pipe in the last field", documentedRow("13", "", "sbatch --wrap=env | grep SLURM"), row("13", "")},
		{"several", documentedRow("13", "", "sbatch --wrap=a|b||c|"), row("13", "")},
		{"lines with pipes", documentedRow("14", "", "sbatch --wrap=hostname\nsleep 5 | tee x\n\n| wc") + documentedRow("15", "", "sbatch a.sh"), row("14", "") + "\n" + row("15", "")},
		{"features", documentedRow("12", "cpu-a|cpu-b", "sbatch a.sh"), row("12", "cpu-a|cpu-b,")},
		{"both", documentedRow("12", "cpu-a|cpu-b", "sbatch -C 'cpu-a|cpu-b' a.sh"), row("12", "cpu-a|cpu-b,")},
	} {
		t.Run(c.what, func(t *testing.T) {
			wantRows(t, "sacct", documented+c.text, twoFeatures(t), strings.Split(c.want, "\n")...)
			for _, separator := range []string{"~|~", "\x1f", "^", "@@"} {
				again := strings.ReplaceAll(documented, "|", separator)
				for line := range strings.Lines(c.text) {
					again += delimited(line, separator)
				}
				wantRows(t, "sacct", again, twoFeatures(t), strings.Split(c.want, "\n")...)
			}
		})
	}
}

// delimited is a line of sacct --delimiter. What the user wrote has its pipes still.
func delimited(line, separator string) string {
	head, tail, is := strings.Cut(line, "|n1|")
	if !is {
		return line
	}
	head = strings.ReplaceAll(strings.Replace(head, "cpu-a|cpu-b", "cpu-a<cpu-b", 1), "|", separator)
	return strings.Replace(head, "cpu-a<cpu-b", "cpu-a|cpu-b", 1) + separator + "n1" + separator + tail
}

// The separator of a dump is what stands in its header, and a table of fixed width has dashes below it (src/common/print_fields.c).
func TestSacctForms(t *testing.T) {
	const row = "11,0,1200,1920,1,8,8,0,0,0,type3"
	for what, text := range map[string]string{
		"semicolons": "JobIDRaw;State;Submit;Start;End;NNodes;NCPUS\n11;COMPLETED;2026-03-01T08:00:00;2026-03-01T08:00:05;2026-03-01T08:20:05;1;8\n",
		"commas":     "JobIDRaw,State,Submit,Start,End,ReqTRES,NNodes,NCPUS\n11,COMPLETED,2026-03-01T08:00:00,2026-03-01T08:00:05,2026-03-01T08:20:05,cpu=8,mem=1G,1,8\n",
		"CSV":        "\"JobIDRaw\",\"State\",\"Submit\",\"Start\",\"End\",\"ReqTRES\",\"NNodes\",\"NCPUS\"\n\"11\",\"COMPLETED\",\"2026-03-01T08:00:00\",\"2026-03-01T08:00:05\",\"2026-03-01T08:20:05\",\"cpu=8,mem=1G\",\"1\",\"8\"\n",
		"tabs":       "JobIDRaw\tState\tSubmit\tStart\tEnd\tNNodes\tNCPUS\n11\tCOMPLETED\t2026-03-01T08:00:00\t2026-03-01T08:00:05\t2026-03-01T08:20:05\t1\t8\n",
		"ReqNodes":   "JobIDRaw|State|Submit|Start|End|ReqNodes|ReqCPUS\n11|COMPLETED|2026-03-01T08:00:00|2026-03-01T08:00:05|2026-03-01T08:20:05|1|8\n",
		"fixed": "JobIDRaw            State              Submit               Start                 End   NNodes      NCPUS \n" +
			"------------ ---------- ------------------- ------------------- ------------------- -------- ---------- \n" +
			"11            COMPLETED 2026-03-01T08:00:00 2026-03-01T08:00:05 2026-03-01T08:20:05        1          8 \n",
	} {
		t.Run(what, func(t *testing.T) {
			_, rows, err := importText("sacct", text, optionsS())
			if err != nil || len(rows) != 1 || !strings.HasPrefix(rows[0], row) {
				t.Errorf("got %q, %v, want %s", rows, err, row)
			}
		})
	}
	const head = "JobIDRaw          State       User              Submit               Start                 End   NNodes      NCPUS\n"
	const dashes = "------------ ---------- ---------- ------------------- ------------------- ------------------- -------- ----------\n"
	wantRows(t, "sacct", head+dashes+"11           CANCELLED+        eve 2026-03-01T08:00:00 2026-03-01T08:00:05 2026-03-01T08:20:05        1          8\n"+
		"12           OUT_OF_ME+        eve 2026-03-01T08:00:00 2026-03-01T08:00:05 2026-03-01T08:20:05        1          8\n", optionsS(),
		"11,0,1200,1920,1,8,8,0,0,0,type3,eve,cancelled", "12,0,1200,1920,1,8,8,0,0,0,type3,eve,out_of_memory")
	wantFaults(t, "sacct", head+dashes+"11            COMPLETED professor+ 2026-03-01T08:00:00 2026-03-01T08:00:05 2026-03-01T08:20:05        1          8\n", optionsS(),
		`t:3: User: got "professor+", allowed values that are not cut off (sacct -X -P)`)
	wantFaults(t, "sacct", head+"11 COMPLETED\n", optionsS(),
		`t:2: got "11 COMPLETED", allowed 8 rows of dashes below the header of a table of fixed width, or another separator (sacct -X -P)`)
}

// Slurm ends a job that can never run with its end as its start, without an allocation: NCPUS is 0 from Slurm 23.02 on, and what it asked
// for before. Such a job never ran, and waited for no start.
func TestSacctNeverStarted(t *testing.T) {
	failed := func(id, state, cpus, alloc, nodes string) string {
		return id + "|" + state + "|2026-03-01T08:00:00|2026-03-01T09:00:05|2026-03-01T09:00:05|00:00:00|01:00:00|1|" + cpus + "|cpu=8,mem=16G,node=1|" + alloc + "|eve|batch|16G||astro|normal|2026-03-01T08:00:00|BadConstraints|||" +
			id + "|" + nodes + "|sbatch a.sh\n"
	}
	text := documented + documentedRow("1", "", "sbatch a.sh") +
		failed("4", "FAILED", "8", "", "None assigned") + failed("5", "DEADLINE", "8", "", "None assigned") + failed("6", "FAILED", "0", "", "None assigned") +
		failed("7", "TIMEOUT", "0", "", "") + failed("8", "CANCELLED by 7", "0", "", "None assigned") +
		// It ran for less than a second.
		failed("9", "FAILED", "8", "cpu=8,mem=16G,node=1", "n1")
	s := wantRows(t, "sacct", text, twoFeatures(t), "1,0,1200,3600,1,8,8,0,0,0,type3,eve,completed,0,batch,16384,astro",
		"8,0,0,3600,1,8,8,0,0,0,type3,eve,cancelled_pending,3605,batch,16384,astro", "9,0,1,3600,1,8,8,0,0,0,type3,eve,failed,0,batch,16384,astro")
	if want := "records: 7 read, 3 jobs, 4 left out (never ran)"; s.Text()[0] != want {
		t.Errorf("got %s, want %s", s.Text()[0], want)
	}
	starts, err := interchange.Records(source("t", text), "sacct")
	if err != nil || len(starts) != 2 || starts[9].Wait != 3605 {
		t.Errorf("got %v, %v", starts, err)
	}
	_, _, err = importText("sacct", documented+strings.Replace(failed("4", "FAILED", "0", "", "None assigned"), "00:00:00|01", "00:10:00|01", 1), twoFeatures(t))
	if err == nil || !strings.Contains(err.Error(), `t:2: NCPUS: got "0", allowed a whole number from 1`) {
		t.Errorf("got %v", err)
	}
}

// sacct -D has a row for each run of a requeued job. Its last submission is what sacct shows without -D ("order by id_job, time_submit desc" in
// as_mysql_jobacct_process.c), in whatever order the rows are.
func TestSacctRequeued(t *testing.T) {
	run := func(id int, state, submit, start, end string) string {
		return fmt.Sprintf("%d|%s|2026-03-01T%s|2026-03-01T%s|2026-03-01T%s|1|8|eve\n", id, state, submit, start, end)
	}
	const head = "JobIDRaw|State|Submit|Start|End|NNodes|NCPUS|User\n"
	first := run(6, "NODE_FAIL", "08:00:00", "08:00:05", "08:10:05")
	second := run(6, "PREEMPTED", "08:10:05", "08:11:05", "08:11:25")
	last := run(6, "COMPLETED", "08:11:25", "08:12:05", "08:20:05")
	other := run(7, "COMPLETED", "08:11:15", "08:11:15", "08:20:05")
	const job6, job7 = "6,10,480,840,1,8,8,0,0,0,type3,eve", "7,0,530,960,1,8,8,0,0,0,type3,eve"
	for what, text := range map[string]string{"in their order": first + second + last + other, "latest first": last + second + first + other} {
		s := wantRows(t, "sacct", head+text, optionsS(), job6, job7)
		if want := "records: 4 read, 2 jobs, 2 left out (earlier runs of jobs that were requeued: 6)"; s.Text()[0] != want {
			t.Errorf("%s: got %s, want %s", what, s.Text()[0], want)
		}
	}
	o := optionsS()
	o.Renumber = true
	s := wantRows(t, "sacct", head+first+last, o, "1,0,600,1020,1,8,8,0,0,0,type3,eve,failed", "2,685,480,840,1,8,8,0,0,0,type3,eve,completed")
	if text := strings.Join(s.Text(), "\n"); !strings.Contains(text, "1 further runs of requeued jobs became jobs of their own") {
		t.Errorf("got %s", text)
	}
	// Two dumps one after the other have some rows twice.
	s = wantRows(t, "sacct", head+last+other+last, optionsS(), job7, job6)
	if want := "records: 3 read, 2 jobs, 1 left out (records that are there twice)"; s.Text()[0] != want {
		t.Errorf("got %s, want %s", s.Text()[0], want)
	}
	// Another user's job has the id by chance.
	wantFaults(t, "sacct", head+strings.ReplaceAll(first, "eve", "adam")+last, optionsS(), `t:3: job id: got "6", allowed each once`)
	starts, err := interchange.Records(source("t", head+last+second+first), "sacct")
	if err != nil || len(starts) != 1 || starts[6].Wait != 40 {
		t.Errorf("got %v, %v", starts, err)
	}
}

// Slurm makes the names of TRES small, so sacct says a100 where slurm.conf has A100.
func TestSacctGPUTypesWithoutCase(t *testing.T) {
	m, err := workloads.ParseMachine("c.yaml", []byte("name: c\ngroups:\n  - {name: g, count: 2, cores: 64, gpus: {A100: 4}}\n  - {name: h, count: 2, cores: 64, gpus: {Tesla_V100: 4}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(id, kind string) string {
		return id + "|COMPLETED|2026-03-01T08:00:00|2026-03-01T08:00:05|2026-03-01T08:20:05|1|8|cpu=8,gres/gpu:" + kind + "=2,gres/gpu=2|cpu=8,gres/gpu:" + kind + "=2,gres/gpu=2\n"
	}
	const head = "JobIDRaw|State|Submit|Start|End|NNodes|NCPUS|ReqTRES|AllocTRES\n"
	wantRows(t, "sacct", head+row("1", "a100")+row("2", "A100")+row("3", "tesla_v100"), interchange.ImportOptions{Machine: m},
		"1,0,1200,1920,1,8,8,2,2,0,gpu2,A100", "2,0,1200,1920,1,8,8,2,2,0,gpu2,A100", "3,0,1200,1920,1,8,8,2,2,0,gpu2,Tesla_V100")
	wantFaults(t, "sacct", head+row("1", "h100"), interchange.ImportOptions{Machine: m}, `t:2: job 1: gpu_type: got "h100", allowed A100, Tesla_V100 (of machine c)`)
}
