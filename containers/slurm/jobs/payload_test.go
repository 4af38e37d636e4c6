package jobs_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
)

func TestLineRoundTrip(t *testing.T) {
	for want, s := range map[string]jobs.Seconds{
		"# slurmlab seconds=600":                       {Fixed: 600},
		"# slurmlab seconds=0":                         {},
		"# slurmlab seconds=1:150,2:75,10:15":          {OnGPUs: map[int]int{10: 15, 2: 75, 1: 150}},
		"# slurmlab seconds=600 end=failed":            {Fixed: 600, End: jobs.Fails},
		"# slurmlab seconds=0 end=cancelled":           {End: jobs.IsCancelled},
		"# slurmlab seconds=1:9,2:5 end=out_of_memory": {OnGPUs: map[int]int{1: 9, 2: 5}, End: jobs.LacksMemory},
	} {
		if got := s.Line(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		read, err := jobs.Parse("#!/bin/bash\n" + want + "\nsleep 3\n")
		if err != nil || !reflect.DeepEqual(read, s) {
			t.Errorf("%q is read as %+v, %v", want, read, err)
		}
	}
}

func TestSecondsOnGPUs(t *testing.T) {
	s := jobs.Seconds{OnGPUs: map[int]int{1: 150, 2: 75}}
	if n, err := s.On(2); n != 75 || err != nil {
		t.Errorf("got %d, %v, want 75", n, err)
	}
	if _, err := s.On(3); err == nil || !strings.Contains(err.Error(), "3 GPUs") {
		t.Errorf("error %v, want it to name the number", err)
	}
	if n, err := (jobs.Seconds{Fixed: 9}).On(3); n != 9 || err != nil {
		t.Errorf("got %d, %v, want 9", n, err)
	}
}

func TestBadLines(t *testing.T) {
	for _, script := range []string{"", "#!/bin/sh\nsleep 3\n", "# slurmlab seconds=\n", "# slurmlab seconds=-1", "# slurmlab seconds=x:1", "# slurmlab seconds=1:2,3", "# slurmlab seconds=1 end=", "# slurmlab seconds=1 end=dead", "# slurmlab seconds= end=failed"} {
		if s, err := jobs.Parse(script); err == nil {
			t.Errorf("%q is read as %+v", script, s)
		}
	}
}
