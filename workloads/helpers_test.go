package workloads

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What tests expect of columns, as people read it.
const (
	csvHeader   = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class"
	wordRule    = "1..250 of letters, digits, -, _ and ., the first a letter or digit"
	userRule    = "up to 32 of lower-case letters, digits, -, _ and ., the first not -"
	maxNice     = 999_999_999
	maxPriority = 999_999_999
)

// write makes a file in a fresh directory and moves there, so that messages
// hold a short path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Fatalf("no error, want:\n%s", want)
	case err.Error() != want:
		t.Fatalf("error:\n%s\nwant:\n%s", err, want)
	}
}

func machine(t *testing.T, name string) Machine {
	t.Helper()
	m, err := LoadMachine(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func jobsOf(t *testing.T, workload, machineName string, seed uint64) []Job {
	t.Helper()
	w, err := Load(workload)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(machine(t, machineName), seed)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func csvOf(t *testing.T, jobs []Job) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteCSV(&out, jobs); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// theoretical is the theoretical runtime of AUCSCHED section 6.2, computed apart from the generator. It is "the
// summation of duration of each job times its requested core count, all divided by the total number of cores".
func theoretical(jobs []Job, m Machine) time.Duration {
	var work float64
	for _, j := range jobs {
		work += float64(j.Runtime) * float64(j.Cores)
	}
	return time.Duration(work / float64(m.Nodes*m.Cores) * float64(time.Second))
}
