package trial_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin/process"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin/trial"
)

// The examples answer every snapshot in time, and nothing is wrong with what they start.
func TestExamples(t *testing.T) {
	first := filepath.Join(t.TempDir(), "firstfit")
	if out, err := exec.Command("go", "build", "-o", first, "../../../examples/plugins/firstfit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	programs := []string{first, "../../../examples/plugins/easy.py", "../../../examples/plugins/bestfit.py"}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Log("no python3 here: the examples in Python are tried in the cluster")
		programs = programs[:1]
	}
	for _, name := range programs {
		file, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		p := process.New(process.Command{Argv: []string{file}, Env: os.Environ(), Stderr: io.Discard})
		v, err := trial.Play(t.Context(), p, time.Minute)
		p.End()
		if err != nil || len(v.Faults) != 0 || v.Asked != v.Snapshots || v.Starts == 0 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// The recorded snapshots are a busy machine, and one with room.
func TestSnapshots(t *testing.T) {
	all, err := trial.Snapshots()
	if err != nil || len(all) < 20 {
		t.Fatalf("%d snapshots, %v", len(all), err)
	}
	queued, running := 0, 0
	for _, s := range all {
		if err = s.Validate(); err != nil {
			t.Error(err)
		}
		queued, running = max(queued, len(s.Jobs)), max(running, len(s.Running))
	}
	if queued < 100 || running < 20 {
		t.Errorf("at most %d jobs wait and %d run", queued, running)
	}
}
