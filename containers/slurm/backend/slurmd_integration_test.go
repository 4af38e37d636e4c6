//go:build integration

package backend_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// Real scripts do on such a cluster what they do on a computer under Slurm 26.05. The
// cases share one cluster, as its boot costs more than all of them.
func TestRealScripts(t *testing.T) {
	c := backendtest.Start(t, backendtest.OnNodes(), slurm.WithMachine(8, 8, 2), slurm.WithCore(0), slurm.WithClock(clock.Settings{Kind: clock.KindJump}))
	for _, tt := range []struct{ name, script, want string }{
		{"arrays (sbatch(1), --array)", `
id=$(sbatch --parsable --array=1-3 -o /tmp/array.%a --wrap 'echo $SLURM_ARRAY_TASK_ID; sleep 50')
ended $id
cat /tmp/array.?
accounts $id
`, `1
2
3
COMPLETED|50|0:0
COMPLETED|50|0:0
COMPLETED|50|0:0
`},
		{"steps on every node, with the GPUs that they got (srun(1), gres.conf(5))", `
id=$(sbatch --parsable -N 2 -n 4 --gres=gpu:1 -o /tmp/steps --wrap 'echo job $CUDA_VISIBLE_DEVICES
srun -n 4 bash -c "echo \$SLURM_PROCID of \$SLURM_NTASKS \$CUDA_VISIBLE_DEVICES" | sort
srun -n 2 sleep 30')
ended $id
cat /tmp/steps
sacct -n -P -j $id -o jobid,state,ntasks | sed "s/^$id//"
`, `job 0
0 of 4 0
1 of 4 0
2 of 4 0
3 of 4 0
|COMPLETED|
.batch|COMPLETED|1
.0|COMPLETED|4
.1|COMPLETED|2
`},
		{"interactive allocations (salloc(1), srun(1)), for anybody", `
su owner -c 'cd; salloc -Q -N 2 srun -n 2 bash -c "id -un; echo \$SLURMD_NODENAME" </dev/null; srun -n 1 id -un </dev/null' | sort
`, `n1
n2
owner
owner
owner
`},
		{"a suspended script stands still (scontrol(1), suspend)", `
id=$(sbatch --parsable -o /tmp/ticks --wrap 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 10; echo $i; done')
runs $id
sleep 25
scontrol suspend $id
had=$(wc -l < /tmp/ticks)
sleep 1000
squeue -h -j $id -o %T
echo $(($(wc -l < /tmp/ticks) - had)) more
scontrol resume $id
ended $id
wc -l < /tmp/ticks
sacct -n -X -P -j $id -o state,exitcode
`, `SUSPENDED
0 more
10
COMPLETED|0:0
`},
		{"a requeued script begins anew (scontrol(1), requeue)", `
id=$(sbatch --parsable --requeue -o /tmp/again --open-mode=append --wrap 'echo restart ${SLURM_RESTART_COUNT:-0}; sleep 60')
runs $id
sleep 20
scontrol requeue $id
ended $id
grep restart /tmp/again
accounts $id
`, `restart 0
restart 1
COMPLETED|60|0:0
`},
		{"a script that fails, and one at its limit", `
failing=$(sbatch --parsable -o /dev/null --wrap 'sleep 20; exit 7')
long=$(sbatch --parsable -t 2 -N 2 -n 2 -o /dev/null --wrap 'srun sleep 1000')
ended $failing $long
accounts $failing
sacct -n -X -P -j $long -o state
`, `FAILED|20|7:0
TIMEOUT
`},
		{"a job outlives a slurmd and a slurmctld that are killed", `
id=$(sbatch --parsable -w n3 -o /dev/null --wrap 'sleep 600')
runs $id
sleep 20
pkill -9 -f -- '-N n3$'
pkill -9 -x slurmctld
sleep 300
ended $id
accounts $id
sinfo -h -o '%D %t'
`, `COMPLETED|600|0:0
8 idle
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			out, err := c.Run(t.Context(), []byte(prelude+tt.script+"slurmlabd clock hold\n"), "bash", "-s")
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out); !backendtest.Same(strings.TrimSpace(got), strings.TrimSpace(tt.want), time.Since(began)) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// prelude has what the cases share: waits for jobs, at the price of virtual time only.
const prelude = `cd /tmp
id owner >/dev/null 2>&1 || useradd -m owner
slurmlabd clock go
runs() { until [ "$(squeue -h -j $1 -o %T 2>/dev/null)" = RUNNING ]; do sleep 1; done; }
ended() { for id in "$@"; do while squeue -h -j $id 2>/dev/null | grep -q .; do sleep 5; done; done; sleep 10; accounted "$@"; }
accounts() { sacct -n -X -P -j $1 -o state,elapsedraw,exitcode; }
`
