//go:build integration

package external_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/containers/slurm/kinds/kindstest"
)

func start(t *testing.T) *slurm.Container {
	t.Helper()
	return kindstest.Start(t, external.Series, slurm.WithMachine(4, 8, 2),
		slurm.WithCore(0), slurm.WithClock(clock.Settings{Kind: clock.KindJump}))
}

func shell(t *testing.T, c *slurm.Container, script string) string {
	t.Helper()
	out, err := c.Run(t.Context(), []byte(script), "bash", "-s")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Jobs of external nodes end at their start plus the seconds of their scripts, also if
// those depend on the GPUs; at their limit; and when they are cancelled. What nobody
// would run is refused.
func TestExternalJobs(t *testing.T) {
	c := start(t)
	got := shell(t, c, `cd /tmp
job() { seconds=$1; shift; printf '#!/bin/bash\n# slurmlab seconds=%s\nexit 1\n' $seconds > job.sh; sbatch --parsable -n 8 -o /dev/null "$@" job.sh; }
slurmlabd clock go
job 3600 -t 100
job 1:150,2:75 -t 100 --gres=gpu:1-2
job 1:150,2:75 -t 100 --gres=gpu:2
job 600 -t 1
job 600 -t 100
while [ $(squeue -h -t PD -o %i | wc -l) != 0 ]; do sleep 1; done
scancel 5
job 60 -t 100 --array=1-3 2>&1 | grep -o 'job arrays need.*'
while [ $(squeue -h -o %i | wc -l) != 0 ]; do sleep 10; done
sleep 10
ls /var/spool/slurmd | wc -l
slurmlabd clock hold
sacct -n -X -P -o jobid,state,elapsedraw,exitcode | sed 's/TIMEOUT.*/TIMEOUT/'
`)
	want := `1
2
3
4
5
job arrays need nodes with a slurmd: use a cluster of --slurm 24.11
0
1|COMPLETED|3600|0:0
2|COMPLETED|150|0:0
3|COMPLETED|75|0:0
4|TIMEOUT
`
	// The fifth was cancelled whenever this got round to it.
	lines := strings.SplitAfter(got, "\n")
	var rest strings.Builder
	cancelled := false
	for _, line := range lines {
		if strings.HasPrefix(line, "5|CANCELLED") {
			cancelled = true
			continue
		}
		rest.WriteString(line)
	}
	if rest.String() != want || !cancelled {
		t.Errorf("got\n%s\nwant\n%s and 5|CANCELLED", got, want)
	}
}

// A runner that begins anew ends the jobs of the one before at their time.
func TestRunnerGoesOn(t *testing.T) {
	c := start(t)
	got := shell(t, c, `cd /tmp
printf '#!/bin/bash\n# slurmlab seconds=3600\n' > job.sh
sbatch --parsable -n 8 -t 100 -o /dev/null job.sh
while [ ! -d /var/spool/slurmd/job00001 ]; do sleep 0.1; done
pkill -f 'slurmlabd runner'
slurmlabd runner >/dev/null 2>&1 &
slurmlabd clock go
while [ $(squeue -h -o %i | wc -l) != 0 ]; do sleep 10; done
sleep 10
slurmlabd clock hold
sacct -n -X -P -o jobid,state,elapsedraw,exitcode
`)
	if want := "1\n1|COMPLETED|3600|0:0\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
