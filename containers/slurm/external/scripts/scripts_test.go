package scripts

import (
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sbatch(1), "filename pattern"; src/slurmd/common/fname.c.
func TestFileNamePatterns(t *testing.T) {
	d := Details{Name: "make it", First: "n7"}
	for name, want := range map[string]string{
		"slurm-%j.out": "slurm-42.out", "%A_%J": "42_42", "%x.%u.%N": "make it.anna.n7", "%5j": "00042", "%99j": "0000000042", "%n%t%s": "00batch",
		"100%%": "100%", "%%j": "%j", "%%%j": "%42", "%": "%", "a%5": "a%5", "%q": "%q",
		`\%j`: "%j", `a\b%x`: "ab%x", "%a": "4294967294", "%b": "4", "": "",
	} {
		if got := expand(name, d, 42, "anna"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, name := range []string{"slurm-%j.out", "%", "%5", "%%%x", `\%j`, "%999999999999999999999j"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := expand(name, Details{Name: "x", First: "n1"}, 1, "u")
		if !strings.ContainsAny(name, `%\`) && got != name {
			t.Errorf("%q became %q", name, got)
		}
	})
}

func TestSubmission(t *testing.T) {
	got, err := ParseSubmission("open_mode=a\x00signal=10 60 1\x00argument=a b\x00argument=\x00variable=X=1\nvariable=Y=2\x00")
	want := Submission{Append: true, Warn: Warn{Signal: syscall.SIGUSR1, Before: time.Minute, Script: true}, Arguments: []string{"a b", ""}, Variables: []string{"X=1\nvariable=Y=2"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "open_mode", "other=1\x00", "signal=x\x00", "signal=10 60\x00"} {
		if got, err := ParseSubmission(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func FuzzParseSubmission(f *testing.F) {
	f.Add("open_mode=a\x00signal=10 60 1\x00argument=a b\x00variable=X=1\x00")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSubmission(text)
		if err == nil && len(s.Arguments)+len(s.Variables) > strings.Count(text, "\x00")+1 {
			t.Errorf("%q: %+v", text, s)
		}
	})
}

func TestDetails(t *testing.T) {
	text := "state\trunning\nadmin_comment\tslurmlab script=1-2\nname\ta b\nuid\t1000\ngid\t100\nwork_dir\t/home/a\nstd_in\t\n" +
		"std_out\tx%j\nstd_err\t\nnodes\tn[1-2]\nfirst_node\tn1\nnum_nodes\t2\nnum_cpus\t12\nnum_tasks\t12\ntasks_per_node\t0\ncpus_per_task\t1\n" +
		"partition\tmain\naccount\troot\nqos\t\ngres\tgpu(CNT:2)\nstart\t1861920010\nend\t1861920610"
	values := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		key, value, _ := strings.Cut(line, "\t")
		values[key] = value
	}
	want := Details{
		State: Running, Comment: "slurmlab script=1-2", Name: "a b", UID: 1000, GID: 100, WorkDir: "/home/a", StdOut: "x%j", Nodes: "n[1-2]", First: "n1",
		Count: 2, CPUs: 12, Tasks: 12, CPUsPerTask: 1, Partition: "main", Account: "root", GPUs: 2,
		Start: time.Unix(1861920010, 0).UTC(), End: time.Unix(1861920610, 0).UTC(),
	}
	if got, err := ReadDetails(values); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "x"} {
		values["uid"] = bad
		if got, err := ReadDetails(values); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	values["uid"] = "1000"
	// A machine with groups of nodes has types of GPUs.
	for gres, want := range map[string]int{
		"": 0, "gpu:3": 3, "gpu(CNT:2)": 2, "fpga:2": 0, "gpu:h100(CNT:8)": 8, "gpu:h100:8(IDX:0-7)": 8, "gpu:a100(CNT:2),gpu:v100(CNT:1)": 3,
	} {
		values["gres"] = gres
		if got, err := ReadDetails(values); err != nil || got.GPUs != want {
			t.Errorf("%q: %d GPUs, %v, want %d", gres, got.GPUs, err, want)
		}
	}
	values["gres"] = "gpu:a100:x"
	if got, err := ReadDetails(values); err == nil {
		t.Errorf("GPUs that are no number: %+v", got)
	}
}

// The values are those that slurmd 24.11.5 sets in front-end mode for the same request.
func TestVariables(t *testing.T) {
	d := Details{
		Name: "7", UID: 1000, GID: 100, Nodes: "n[1-3]", First: "n1", Count: 3, CPUs: 16, Tasks: 16, Partition: "main", Account: "root", GPUs: 1,
		Start: time.Unix(100, 0), End: time.Unix(160, 0),
	}
	got := variables(d, 42, "anna", []int{8, 4, 4})
	for _, want := range []string{
		"SLURM_JOB_ID=42", "SLURM_JOBID=42", "SLURM_JOB_NAME=7", "SLURM_JOB_NODELIST=n[1-3]", "SLURM_NNODES=3", "SLURM_JOB_NUM_NODES=3",
		"SLURM_NTASKS=16", "SLURM_NPROCS=16", "SLURM_JOB_CPUS_PER_NODE=8,4(x2)", "SLURM_CPUS_ON_NODE=8", "SLURM_TASKS_PER_NODE=8,4(x2)",
		"SLURM_GPUS_ON_NODE=1", "SLURM_JOB_USER=anna", "SLURM_JOB_START_TIME=100", "SLURM_JOB_END_TIME=160", "SLURMD_NODENAME=n1", "ENVIRONMENT=BATCH",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s among %q", want, got)
		}
	}
}

// srun(1), --distribution=block: tasks fill one node after the other.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		tasks, perTask int
		cpus, want     []int
	}{
		{0, 1, []int{8, 4}, []int{8, 4}},
		{0, 2, []int{8, 4}, []int{4, 2}},
		{12, 1, []int{8, 4}, []int{8, 4}},
		{4, 1, []int{8, 8}, []int{3, 1}},
		{2, 4, []int{8, 8}, []int{1, 1}},
		{5, 1, []int{1, 2}, []int{2, 3}},
	} {
		if got := layout(c.tasks, c.perTask, c.cpus); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// sbatch(1): the environment of the submission, --output, --error, --input, --open-mode;
// what Slurm sets wins, and what is for slurmstepd alone is not handed on.
func TestLaunch(t *testing.T) {
	d := Details{UID: 1000, GID: 100, WorkDir: "/home/anna", StdErr: "e-%j", StdIn: "/in", Name: "job", Count: 1, CPUs: 2, First: "n1", Nodes: "n1"}
	s := Submission{
		Append: true, Arguments: []string{"x"},
		Variables: []string{"PATH=/mine", "SLURM_JOB_ID=1", "SLURM_UMASK=0077", "SLURM_RLIMIT_NOFILE=U100", "LD_PRELOAD=/own.so"},
	}
	anna := Account{Name: "anna", Home: "/home/anna", Shell: "/bin/sh"}
	got := NewLaunch(42, "#!/bin/sh\n", d, s, anna, []int{2}, []string{"LD_PRELOAD=/clock.so", "PAGE=1"})
	if got.In != "/in" || got.Out != "/home/anna/slurm-42.out" || got.Err != "/home/anna/e-42" || !got.Append || got.Umask != "0077" ||
		!slices.Equal(got.Limits, []string{"NOFILE=100"}) {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"PATH=/mine", "SLURM_JOB_ID=42", "LD_PRELOAD=/own.so", "PAGE=1", "TMPDIR=/tmp"} {
		if !slices.Contains(got.Variables, want) {
			t.Errorf("no %s among %q", want, got.Variables)
		}
	}
	for _, v := range got.Variables {
		if strings.HasPrefix(v, "SLURM_UMASK") || strings.HasPrefix(v, "SLURM_RLIMIT") || strings.HasPrefix(v, "HOME") {
			t.Errorf("%s among the variables", v)
		}
	}
	// --export=NONE.
	s.Variables = []string{"SLURM_GET_USER_ENV=1", "SLURM_SUBMIT_DIR=/home/anna"}
	d.StdOut, d.StdErr = "same", "/home/anna/same"
	got = NewLaunch(42, "", d, s, anna, nil, nil)
	if !slices.Contains(got.Variables, "HOME=/home/anna") || !slices.Contains(got.Variables, "USER=anna") || got.Err != "" {
		t.Errorf("%+v", got)
	}
}
