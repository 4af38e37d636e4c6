//go:build integration

package channel_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// submitter is a way to submit jobs.
type submitter interface {
	Submit(ctx context.Context, r sbatch.Request) (int, error)
}

// requests has every option of a Request, on nodes that are equal or those of groups. The last
// ones are refused: by job_submit.lua, and by slurmctld.
func requests(unequal bool) (taken, refused []sbatch.Request) {
	script := "#!/bin/bash\n# slurmlab seconds=600\necho \"a\tb\\n\"\nsleep 600\n"
	base := sbatch.Request{Name: "same", Tasks: 4, TimeLimit: 10 * time.Minute, Script: script}
	with := func(change func(r *sbatch.Request)) sbatch.Request {
		r := base
		change(&r)
		return r
	}
	if unequal {
		taken = []sbatch.Request{
			base,
			with(func(r *sbatch.Request) { r.Partition, r.MemPerNode = "gpu", 5000 }),
			with(func(r *sbatch.Request) { r.MemPerCPU, r.Nodes, r.TasksPerNode = 1500, 2, 2 }),
			with(func(r *sbatch.Request) { r.Features, r.Exclusive = "ib&big", true }),
			with(func(r *sbatch.Request) { r.Features = "big|ib" }),
			with(func(r *sbatch.Request) { r.GPUType, r.GPUsMin, r.GPUsMax = "a100", 2, 2 }),
			with(func(r *sbatch.Request) {
				r.Partition, r.GPUType, r.GPUsMin, r.GPUsMax, r.Exclusive, r.MemPerCPU = "gpu", "v100", 1, 1, true, 100
			}),
			with(func(r *sbatch.Request) { r.QOS, r.Licenses = "debug", "matlab:2,ansys:1" }),
			with(func(r *sbatch.Request) { r.User, r.Account = "bert", "chem" }),
			with(func(r *sbatch.Request) { r.User, r.Reservation = "bert", "course" }),
			with(func(r *sbatch.Request) { r.Nodes, r.NodeList = 3, "n[2,4]" }),
		}
		refused = []sbatch.Request{
			with(func(r *sbatch.Request) { r.Partition = "fat" }),
			with(func(r *sbatch.Request) { r.MemPerNode = 64001 }),
			with(func(r *sbatch.Request) { r.Features = "ib&small" }),
			with(func(r *sbatch.Request) { r.GPUType, r.GPUsMin, r.GPUsMax = "h100", 1, 1 }),
			with(func(r *sbatch.Request) { r.Exclusive, r.MemPerCPU = true, 5000 }),
			with(func(r *sbatch.Request) { r.QOS = "fast" }),
			with(func(r *sbatch.Request) { r.Licenses = "idl:1" }),
			with(func(r *sbatch.Request) { r.Reservation = "other" }),
			with(func(r *sbatch.Request) { r.Nodes, r.NodeList = 1, "n99" }),
		}
		// Without job_submit.lua a job starts at once unless it is held.
		for i := range taken {
			taken[i].Hold = true
		}
		return taken, refused
	}
	taken = []sbatch.Request{
		base,
		with(func(r *sbatch.Request) { r.Tasks, r.Nodes, r.TasksPerNode, r.Contiguous = 8, 4, 2, true }),
		with(func(r *sbatch.Request) { r.Tasks, r.TasksPerNode = 7, 3 }),
		with(func(r *sbatch.Request) { r.Nodes, r.GPUsMin, r.GPUsMax = 2, 2, 2 }),
		with(func(r *sbatch.Request) { r.GPUsMin, r.GPUsMax = 1, 2 }),
		with(func(r *sbatch.Request) { r.Nodes, r.NodesMax = 2, 3 }),
		with(func(r *sbatch.Request) { r.Partition, r.Exclusive = "main", true }),
		with(func(r *sbatch.Request) { r.Account = "anna" }),
		with(func(r *sbatch.Request) { r.Hold, r.TimeLimit = true, 26*time.Hour }),
		with(func(r *sbatch.Request) { r.After = []int{1} }),
		with(func(r *sbatch.Request) { r.Begin = time.Date(2040, 1, 2, 3, 4, 5, 0, time.UTC) }),
		with(func(r *sbatch.Request) { r.Nice = 7 }),
		with(func(r *sbatch.Request) { r.Account, r.Nice = "anna", -7 }),
		with(func(r *sbatch.Request) { r.Priority = 12345 }),
		with(func(r *sbatch.Request) { r.Dependency = "afterany:1" }),
		with(func(r *sbatch.Request) { r.After, r.Dependency = []int{1}, "afterok:1" }),
	}
	refused = []sbatch.Request{
		with(func(r *sbatch.Request) { r.Tasks = 1000 }),
		with(func(r *sbatch.Request) { r.After = []int{0} }),
		with(func(r *sbatch.Request) { r.Dependency = "afterok:999999" }),
	}
	return taken, refused
}

// A job submitted through the channel is the one that sbatch would have submitted (issue 15 item 5). slurmctld
// receives the same fields, and job_submit.lua makes the same of them. Job, script, environment and accounting are
// equal. It runs where a cluster is; TestSameAsCommandsInContainers carries it there.
func TestSubmitsAsSbatch(t *testing.T) {
	if os.Getenv(inCluster) == "" {
		hosttest.Elsewhere(t, "in a cluster, where TestSameAsCommandsInContainers runs this test")
	}
	shell := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	reader := channel.NewReader(shell, hosttest.Hang)
	defer func() { _ = reader.Close() }()
	if err := reader.AddAccounts(t.Context(), "anna"); err != nil {
		t.Fatal(err)
	}
	run(t, "scontrol setdebug debug3")
	defer run(t, "scontrol setdebug verbose")
	submitters := []submitter{reader.Client, reader.Helper}
	unequal := os.Getenv(inCluster) == onGroups
	taken, refused := requests(unequal)
	partition := "main"
	if unequal {
		partition = "batch"
	}
	var ids [2][]int
	for _, r := range taken {
		var heard, jobs [2]string
		for way, submitter := range submitters {
			before := logSize(t)
			id, err := submitter.Submit(t.Context(), r)
			if err != nil {
				t.Fatalf("%q: way %d: %v", r.Argv(), way, err)
			}
			ids[way] = append(ids[way], id)
			heard[way], jobs[way] = described(t, before), shown(t, id)
		}
		same(t, fmt.Sprintf("%q: slurmctld heard", r.Argv()), heard)
		same(t, fmt.Sprintf("%q: scontrol show job", r.Argv()), jobs)
	}
	for _, r := range refused {
		var words [2]string
		for way, submitter := range submitters {
			var refusal *slurmctl.RefusedError
			if id, err := submitter.Submit(t.Context(), r); !errors.As(err, &refusal) {
				t.Errorf("%q: way %d: job %d, %v, want a refusal", r.Argv(), way, id, err)
				continue
			}
			words[way] = strings.ReplaceAll(refusal.Error(), "sbatch: error: ", "")
		}
		same(t, fmt.Sprintf("%q: refusal", r.Argv()), words)
	}
	var files, rows [2]string
	for way := range submitters {
		files[way] = saved(t, ids[way])
	}
	same(t, "saved scripts and environments", files)
	// A job that was released has a record for sure, which slurmdbd has some time later, and so with its end. slurmctld sends ends
	// in their order: once slurmdbd has the ends of the jobs that are cancelled last, it has all.
	run(t, fmt.Sprintf(`released=%[1]d,%[2]d
scontrol release $released
until [ "$(sacct -X -n -P -j $released -o jobid | wc -l)" = 2 ]; do sleep 0.1; done
scancel $(squeue -h -u root -o %%A | grep -vx -e %[1]d -e %[2]d)
scancel -u root
until [ -z "$(squeue -h -u root)" ] && ! sacct -X -n -P -j $released -o end | grep -q Unknown; do sleep 0.1; done`, ids[0][0], ids[1][0]))
	for way := range submitters {
		for _, id := range ids[way] {
			rows[way] += run(t, fmt.Sprintf("sacct -X -P -D -n -j %d -o jobname,partition,account,user,group,uid,gid,qos,reqcpus,reqnodes,reqtres,timelimit,state,constraints,comment,admincomment,submitline,workdir", id))
		}
	}
	for way := range rows {
		rows[way] = changing.ReplaceAllString(rows[way], "")
	}
	if !strings.Contains(rows[0], "same|"+partition+"|") {
		t.Errorf("sacct has no record: %q", rows)
	}
	same(t, "sacct", rows)
}

// changer is a way to change jobs.
type changer interface {
	submitter
	Cancel(ctx context.Context, ids ...int) error
	Annotate(ctx context.Context, id int, text string) error
	Known(ctx context.Context) (map[string]int, error)
}

// slurmctld and accounting report changes through the channel as they report those by commands. A job that waits or
// runs is cancelled in the same states and by its owner. A job that has ended or does not exist is no fault, and a
// text is kept unchanged. A job that lacks memory ends as if slurmstepd had reported it. It runs where a cluster is;
// TestSameAsCommandsInContainers carries it there.
func TestChangesAsCommands(t *testing.T) {
	if os.Getenv(inCluster) == "" {
		hosttest.Elsewhere(t, "in a cluster, where TestSameAsCommandsInContainers runs this test")
	}
	shell := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	reader := channel.NewReader(shell, hosttest.Hang)
	defer func() { _ = reader.Close() }()
	all, _ := requests(false)
	base, user := all[0], "0"
	owner := strings.TrimSpace(run(t, "id -u carol 2>/dev/null || { useradd carol && id -u carol; }"))
	var shown, states [2]string
	for way, change := range []changer{reader.Client, reader} {
		var ids []int
		for _, name := range []string{"", "carol", "", "carol", ""} {
			r := base
			r.User = name
			id, err := change.Submit(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		// The first two wait, the others run.
		run(t, fmt.Sprintf(`for id in %d %d %d; do scontrol update JobId=$id ResetAccrueTime; scontrol release $id; done
until [ "$(squeue -h -t R -j %d,%d,%d -o %%i | wc -l)" = 3 ]; do sleep 0.1; done`, ids[2], ids[3], ids[4], ids[2], ids[3], ids[4]))
		if err := change.Annotate(t.Context(), ids[4], "two words\tand a \"quote\" \\"); err != nil {
			t.Error(err)
		}
		_, text, _ := strings.Cut(run(t, fmt.Sprintf("scontrol show job %d", ids[4])), "Extra=")
		shown[way], _, _ = strings.Cut(text, "\n")
		for range 2 {
			// The second time they have ended.
			if err := change.Cancel(t.Context(), append(ids[:4:4], 999_999)...); err != nil {
				t.Errorf("way %d: %v", way, err)
			}
		}
		if ended, err := reader.End(t.Context(), ids[4], 253); err != nil || !ended {
			t.Errorf("ended %t, %v", ended, err)
		}
		states[way] = run(t, fmt.Sprintf(`until [ -z "$(squeue -h -j %[1]d,%[2]d,%[3]d 2>/dev/null)" ]; do sleep 0.1; done
until [ "$(sacct -n -X -P -j %[1]d,%[2]d,%[3]d -o end | grep -c T)" = 3 ]; do sleep 0.1; done
sacct -n -X -P -j %[1]d,%[2]d,%[3]d -o uid,state,exitcode`, ids[2], ids[3], ids[4]))
	}
	if shown[0] != shown[1] || shown[0] == "" {
		t.Errorf("Extra %q, by the channel %q", shown[0], shown[1])
	}
	if want := fmt.Sprintf("%[1]s|CANCELLED by %[1]s|0:0\n%[2]s|CANCELLED by %[2]s|0:0\n%[1]s|OUT_OF_MEMORY|0:125\n", user, owner); states[1] != want {
		t.Errorf("sacct tells\n%s, want\n%s", states[1], want)
	}
	// scancel of root is one by root.
	if want := strings.ReplaceAll(states[1], "CANCELLED by "+owner, "CANCELLED by "+user); states[0] != want {
		t.Errorf("sacct tells of scancel\n%s, want\n%s", states[0], want)
	}
	before, err := reader.Client.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if known, err := reader.Known(t.Context()); err != nil || !maps.Equal(known, before) || known["same"] == 0 {
		t.Errorf("known are %v, %v, want %v", known, err, before)
	}
}

// BenchmarkSubmit measures the processor time that a submission costs the client and slurmctld.
func BenchmarkSubmit(b *testing.B) {
	if os.Getenv(inCluster) == "" {
		hosttest.Elsewhere(b, "in a cluster, where TestSameAsCommandsInContainers runs this benchmark")
	}
	shell := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	reader := channel.NewReader(shell, hosttest.Hang)
	defer func() { _ = reader.Close() }()
	controller, err := os.ReadFile("/run/slurmctld.pid")
	if err != nil {
		b.Fatal(err)
	}
	slurmctld, _ := strconv.Atoi(strings.TrimSpace(string(controller)))
	taken, _ := requests(false)
	for name, submitter := range map[string]submitter{"sbatch": reader.Client, "channel": reader.Helper} {
		b.Run(name, func(b *testing.B) {
			if _, err := submitter.Submit(b.Context(), taken[0]); err != nil {
				b.Fatal(err)
			}
			clients, served := ended(b)+computed(b, reader.PID()), computed(b, slurmctld)
			for b.Loop() {
				if _, err := submitter.Submit(b.Context(), taken[0]); err != nil {
					b.Fatal(err)
				}
			}
			perJob := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
			b.ReportMetric(perJob(ended(b)+computed(b, reader.PID())-clients), "client-ms/job")
			b.ReportMetric(perJob(computed(b, slurmctld)-served), "slurmctld-ms/job")
		})
	}
	if out, err := exec.Command("scancel", "-u", "root").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// ended is the processor time of commands that have ended.
func ended(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// computed is the processor time of a process, also in threads that have ended; 0 without
// one.
func computed(b *testing.B, pid int) time.Duration {
	b.Helper()
	if pid == 0 {
		return 0
	}
	var t unix.Timespec
	// The processor-time clock of another process (clock_getcpuclockid(3)).
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// run runs a shell script.
func run(t *testing.T, script string) string {
	t.Helper()
	out, err := exec.Command("bash", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	return string(out)
}

const controllerLog = "/var/log/slurm/slurmctld.log"

func logSize(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(controllerLog)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// description matches a line of dump_job_desc (src/slurmctld/job_mgr.c): "KEY=" and "KEY:".
var description = regexp.MustCompile(`(?m)^.*debug[23]:\s+((JobDesc:|   ).*)$`)

// changing matches what is another value in each job.
var changing = regexp.MustCompile(`\b(JobId|SubmitTime|EligibleTime|AccrueTime|LastSchedEval|StartTime|EndTime|SLUID|Priority)=\S*|\bscript=[0-9-]+`)

func described(t *testing.T, from int64) string {
	t.Helper()
	text, err := os.ReadFile(controllerLog)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range description.FindAllStringSubmatch(string(text[from:]), -1) {
		lines = append(lines, m[1])
	}
	if len(lines) < 10 {
		t.Fatalf("slurmctld's log has no description of the job:\n%s", text[from:])
	}
	return changing.ReplaceAllString(strings.Join(lines, "\n"), "")
}

func shown(t *testing.T, id int) string {
	t.Helper()
	return changing.ReplaceAllString(strings.ReplaceAll(run(t, fmt.Sprintf("scontrol show job %d", id)), "\n", " "), "")
}

// saved are the files that slurmctld saves of jobs, and those that job_submit.lua keeps.
func saved(t *testing.T, ids []int) string {
	t.Helper()
	var all []string
	for _, id := range ids {
		files, err := filepath.Glob(fmt.Sprintf("/var/spool/slurmctld/hash.*/job.%d/*", id))
		if err != nil {
			t.Fatal(err)
		}
		if kept := regexp.MustCompile(`script=(\S+)`).FindStringSubmatch(run(t, fmt.Sprintf("scontrol show job %d", id))); kept != nil {
			files = append(files, filepath.Join(conf.ScriptDir, filepath.Base(kept[1])))
		}
		if len(files) == 0 {
			t.Fatalf("job %d has no files", id)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			isEnvironment := filepath.Base(file) == "environment"
			if isEnvironment {
				// Four bytes are the number of variables.
				text = text[min(4, len(text)):]
			}
			parts := strings.Split(string(text), "\x00")
			if isEnvironment {
				// Their order is free.
				slices.Sort(parts)
			}
			all = append(all, parts...)
		}
	}
	return strings.Join(all, "\n")
}

// same wants two texts to be equal, word by word.
func same(t *testing.T, what string, texts [2]string) {
	t.Helper()
	a, b := strings.Fields(texts[0]), strings.Fields(texts[1])
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			t.Errorf("%s: sbatch %q, the channel %q\n%s\n%s", what, x, y, texts[0], texts[1])
			return
		}
	}
}
