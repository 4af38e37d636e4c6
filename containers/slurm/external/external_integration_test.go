//go:build integration

package external_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

func start(t *testing.T) *slurm.Container {
	t.Helper()
	return backendtest.Start(t, backendtest.External(), slurm.WithMachine(4, 8, 2),
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
	began := time.Now()
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
ls -d /var/spool/slurmd/job* 2>/dev/null | wc -l
accounted
slurmlabd clock hold
sacct -n -X -P -o jobid,state,elapsedraw,exitcode | sed 's/TIMEOUT.*/TIMEOUT/'
`)
	want := `1
2
3
4
5
job arrays need nodes with a slurmd: use a cluster of --backend frontend or slurmd
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
	if !backendtest.Same(rest.String(), want, time.Since(began)) || !cancelled {
		t.Errorf("got\n%s\nwant\n%s and 5|CANCELLED", got, want)
	}
}

// Jobs that each need the whole machine follow each other within 15 seconds, also after a job that its user cancelled
// and one that reached its limit. The runner wakes Slurm's own scheduler when nodes are free. Otherwise it looks once
// a minute (sched_interval), after these jobs 19 to 31 seconds late. It takes a second or two; on a busy machine what
// the daemons compute between two jumps adds virtual time.
func TestEndsWakeSlurm(t *testing.T) {
	c := start(t)
	began := time.Now()
	got := shell(t, c, `cd /tmp
job() { printf '#!/bin/bash\n# slurmlab seconds=%s\n' $1 > job.sh; sbatch --parsable -N 4 -n 32 -t $2 -o /dev/null job.sh >/dev/null; }
slurmlabd clock go
for s in 31 33 38 29 41; do job $s 100; done
job 600 1
job 600 100
job 17 100
while [ "$(squeue -h -j 7 -o %T)" != RUNNING ]; do sleep 5; done
scancel 7
while [ "$(squeue -h | wc -l)" != 0 ]; do sleep 10; done
sleep 10
accounted
slurmlabd clock hold
sacct -n -X -P -o jobid,start,end
`)
	passed := time.Since(began)
	var before time.Time
	lines := strings.Fields(got)
	if len(lines) != 8 {
		t.Fatalf("got %d jobs, want 8:\n%s", len(lines), got)
	}
	for i, line := range lines {
		cells := strings.Split(line, "|")
		if len(cells) != 3 {
			t.Fatalf("row %q", line)
		}
		begins, err := time.Parse("2006-01-02T15:04:05", cells[1])
		if err != nil {
			t.Fatal(err)
		}
		if gap := begins.Sub(before); i > 0 && (gap < 0 || gap > 15*time.Second+passed) {
			t.Errorf("job %s starts %v after the end of the job before, want at most 15s", cells[0], gap)
		}
		if before, err = time.Parse("2006-01-02T15:04:05", cells[2]); err != nil {
			t.Fatal(err)
		}
	}
}

// A restarted runner ends the jobs of the one before at their time.
func TestRunnerGoesOn(t *testing.T) {
	c := start(t)
	began := time.Now()
	got := shell(t, c, `cd /tmp
printf '#!/bin/bash\n# slurmlab seconds=3600\n' > job.sh
sbatch --parsable -n 8 -t 100 -o /dev/null job.sh
while [ ! -d /var/spool/slurmd/job00001 ]; do sleep 0.1; done
pkill -f 'slurmlabd runner'
slurmlabd runner >/dev/null 2>&1 &
slurmlabd clock go
while [ $(squeue -h -o %i | wc -l) != 0 ]; do sleep 10; done
sleep 10
accounted
slurmlabd clock hold
sacct -n -X -P -o jobid,state,elapsedraw,exitcode
`)
	if want := "1\n1|COMPLETED|3600|0:0\n"; !backendtest.Same(got, want, time.Since(began)) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Cases of people's scripts that only this backend has. Output cannot be opened in the name of a user who must not. A
// runner restarts. After a suspension slurmctld looks for the slurmd of nodes. Of finished jobs only the two files of
// the last one are left, until something else happens.
func TestScriptsOfPeople(t *testing.T) {
	c := start(t)
	got := shell(t, c, `useradd -m anna
mkdir /tmp/work && chmod 777 /tmp/work && cd /tmp/work
touch mine.out && chmod 600 mine.out
slurmlabd clock go
sbatch -J nowhere -o /proc/none/file --wrap true >/dev/null
su anna -c 'sbatch -J stranger -D /tmp/work -o mine.out --wrap "echo broken in"' >/dev/null
sbatch -J gpus -N 2 --gres=gpu:2 -o gpus.out --wrap 'echo $SLURM_GPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE' >/dev/null
scancel $(sbatch -J waits -H --parsable --wrap true)
sbatch -J refused -C no-such-feature --wrap true 2>/dev/null && echo taken
for i in $(seq 20); do sbatch -J many -o /dev/null --wrap "exit $i" >/dev/null; done
sbatch -J long -o long.out --wrap 'echo begins; sleep 600; echo ends; exit 6' >/dev/null
while ! grep -q begins long.out 2>/dev/null; do sleep 1; done
kill -9 $(pgrep -f 'slurmlabd runner')
sleep 60
suspended=$(sbatch --parsable -J suspended -o /dev/null --wrap 'sleep 30')
while [ "$(squeue -h -j $suspended -o %T)" != RUNNING ]; do sleep 1; done
scontrol suspend $suspended
sleep 30
scontrol resume $suspended
sleep 30
echo "nodes that do not respond: $(sinfo -h -N -o %T | grep -c '\*')"
while [ "$(squeue -h | wc -l)" != 0 ]; do sleep 10; done
sleep 100
sbatch -J last -o /dev/null --wrap true >/dev/null
sleep 100
accounted
slurmlabd clock hold
sacct -n -X -P -o jobname,state,exitcode | sed 's/ by [0-9]*//' | sort -V | uniq
cat gpus.out long.out mine.out
find /var/spool/slurmlab /var/spool/slurmd -type f | wc -l
`)
	want := `nodes that do not respond: 0
gpus|COMPLETED|0:0
last|COMPLETED|0:0
long|FAILED|6:0
`
	for i := 1; i <= 20; i++ {
		want += fmt.Sprintf("many|FAILED|%d:0\n", i)
	}
	want += `nowhere|FAILED|0:53
stranger|FAILED|0:53
suspended|COMPLETED|0:0
2 1(x2)
begins
ends
2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
