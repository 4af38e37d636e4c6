package main

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
)

// The jobs fit the machine and arrive in order, and the same seed gives the same ones.
func TestJobsFitTheMachine(t *testing.T) {
	m := workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2}
	all := jobs(m, 2000, 1)
	if !slices.Equal(all, jobs(m, 2000, 1)) || slices.Equal(all, jobs(m, 2000, 2)) {
		t.Error("the seed does not decide")
	}
	path := t.TempDir() + "/jobs.csv"
	if err := writeJobs(path, all); err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := w.Jobs(m, 1)
	if err != nil || !slices.Equal(read, all) {
		t.Errorf("%d jobs are read, %v, want those %d in the same order", len(read), err, len(all))
	}
}

// A process has the name under which its growth is told, however it was started.
func TestNamesOfProcesses(t *testing.T) {
	for _, tt := range []struct {
		argv []string
		want string
	}{
		{[]string{"mariadbd", "--user=mysql"}, "mariadbd"},
		{[]string{"slurmctld", "-D", "-i"}, "slurmctld"},
		{[]string{"/usr/local/bin/slurmlabd", "boot", "--leased"}, "slurmlabd boot"},
		{[]string{"slurmlabd", "run"}, "slurmlabd run"},
		{[]string{"nice", "-n", "10", "/usr/local/bin/slurmlabd", "solver-worker"}, "slurmlabd solver-worker"},
		{[]string{"scontrol"}, "scontrol"},
		{[]string{"scontrol", "show", "job", "7"}, others},
		{[]string{"sbatch", "--job-name=7"}, others},
	} {
		if got := nameOf(tt.argv); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.argv, got, tt.want)
		}
	}
}
