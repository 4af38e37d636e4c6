package trace

import (
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
)

// The key does not depend on how the experiment is carried out, and differs for each setting that makes another
// experiment.
func TestKey(t *testing.T) {
	of := func(change func(*Settings)) string {
		s := Settings{Machine: workloads.Machine{Name: "S", Nodes: 128}, Workload: "V.2", Seed: 1, Policy: "auction", Clock: ClockJump, WorkloadSpec: []byte(`{"a": 1, "b": 2}`)}
		change(&s)
		key, err := s.Key()
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	plain := of(func(*Settings) {})
	if len(plain) != 16 {
		t.Errorf("got %q, want 16 digits", plain)
	}
	for name, change := range map[string]func(*Settings){
		"tool":           func(s *Settings) { s.ToolVersion, s.GitRevision = "2", "abc" },
		"image":          func(s *Settings) { s.ImageID, s.SlurmVersion, s.HiGHSVersion = "sha256:1", "26.05.5", "1.10" },
		"order of a map": func(s *Settings) { s.WorkloadSpec = []byte(`{"b":2,"a":1}`) },
	} {
		if got := of(change); got != plain {
			t.Errorf("%s: got another key", name)
		}
	}
	for name, change := range map[string]func(*Settings){
		"machine":    func(s *Settings) { s.Machine.Nodes++ },
		"seed":       func(s *Settings) { s.Seed++ },
		"policy":     func(s *Settings) { s.Policy = "backfill" },
		"parameters": func(s *Settings) { s.Parameters = []byte(`{"window":5}`) },
		"spec":       func(s *Settings) { s.WorkloadSpec = []byte(`{"a": 1, "b": 3}`) },
		"backend":    func(s *Settings) { s.Backend = Backend{"external", "26.05"} },
		"form":       func(s *Settings) { s.Backend = Backend{"slurmd", "26.05"} },
		"scheduler":  func(s *Settings) { s.SchedulerParameters = "bf_interval=60" },
	} {
		if got := of(change); got == plain {
			t.Errorf("%s: got the same key", name)
		}
	}
}
