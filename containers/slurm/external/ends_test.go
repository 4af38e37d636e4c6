package external

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The runner logs how late it reported each end to Slurm, however often it had to try; not of ends that Slurm found itself
// (issue 38, line 0).
func TestEndsAreLogged(t *testing.T) {
	kept := map[string]string{"1": "# slurmlab seconds=60\n", "2": "# slurmlab seconds=80 end=cancelled\n", "3": "# slurmlab seconds=600\n"}
	var slurm *fake
	bench(t, kept, idle, func(s *fake, n *News, _ string) {
		slurm = s
		for id, script := range []string{1: "1", 2: "2", 3: "3"} {
			if id > 0 {
				s.running[id] = job(id, s.began, script)
				n.Started(id)
			}
		}
		time.Sleep(79 * time.Second)
		s.down = 2
		delete(s.running, 3)
	})
	path := filepath.Join(t.TempDir(), EndsName)
	if err := os.WriteFile(path, append(slurm.ends.Bytes(), "4 12"...), 0o600); err != nil {
		t.Fatal(err)
	}
	ends, err := ReadEnds(path)
	want := []ToldEnd{
		{1, slurm.began.Add(60 * time.Second), slurm.began.Add(60 * time.Second)},
		{2, slurm.began.Add(80 * time.Second), slurm.began.Add(82 * time.Second)},
	}
	if err != nil || len(ends) != len(want) {
		t.Fatalf("got %v, %v, want %v", ends, err, want)
	}
	for i, e := range ends {
		if e.ID != want[i].ID || !e.Due.Equal(want[i].Due) || !e.Done.Equal(want[i].Done) {
			t.Errorf("got %+v, want %+v", e, want[i])
		}
	}
	if err := os.WriteFile(path, []byte("1 2 3\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ends, err := ReadEnds(path); len(ends) != 1 || err == nil || !strings.Contains(err.Error(), path+":2:") {
		t.Errorf("got %v, %v, want line 2 named", ends, err)
	}
	if ends, err := ReadEnds(filepath.Join(t.TempDir(), EndsName)); ends != nil || err != nil {
		t.Errorf("without a runner: %v, %v", ends, err)
	}
}
