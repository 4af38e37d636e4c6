//go:build integration

package benchmark_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// siteDJSB is a configuration for two nodes of two cores that jobs share.
const siteDJSB = `num_of_samples: 1
num_of_ref_analysis: 1
num_of_dyn_analysis: [1]
sleep_min_time: 1s
sleep_max_time: 1s
scenarios: [oversubscription, stop-continue]
machine: {nodes: 2, cores: 2, memory: 512MiB}
simulation: {total_tasks: 4, tasks_per_node: 2, cpus_per_task: 1, total_memory: 64MiB, exec_time: 8s, command: 'srun bash -c "for i in \$(seq 40); do sleep 0.2; done"'}
analysis: {total_tasks: 2, tasks_per_node: 1, cpus_per_task: 1, total_memory: 64MiB, exec_time: 2s, command: srun sleep 2}
`

// signalDJSB is how jobs of Slurm are stopped without its suspension.
const signalDJSB = `commands:
  submit: sbatch --parsable -J "$DJSB_NAME" -n "$DJSB_TASKS" -c "$DJSB_CPUS_PER_TASK" -t "$DJSB_MINUTES" -o /dev/null "$DJSB_SCRIPT"
  poll: test -z "$(squeue -h -j "$DJSB_SUBMIT_STDOUT" 2> /dev/null)"
  suspend: scancel --signal=STOP --full "$DJSB_SUBMIT_STDOUT"
  resume: scancel --signal=CONT --full "$DJSB_SUBMIT_STDOUT"
  cancel: scancel "$DJSB_SUBMIT_STDOUT"
`

// A site's own Slurm, with a slurmd on each node and in real time: slurmlab runs there as any
// program of a user's, and knows nothing of the container. The test is here and not with the
// command line's because this package's tests run beside others, in real time.
func TestDJSBOnSlurm(t *testing.T) {
	c := backendtest.Start(t, backendtest.OnNodes(), slurm.WithMachine(2, 2, 0), slurm.WithSharing(conf.Sharing{JobsPerCore: 2}))
	program := filepath.Join(t.TempDir(), "slurmlab")
	build := exec.Command("go", "build", "-o", program, "github.com/slurmlab/slurmlab/cmd/slurmlab")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := c.CopyFileToContainer(t.Context(), program, "/usr/local/bin/slurmlab", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"slurm.yaml": "on: slurm\n" + siteDJSB, "commands.yaml": "on: commands\n" + siteDJSB + signalDJSB} {
		if err := c.CopyToContainer(t.Context(), []byte(text), "/srv/"+name, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ name, script, want string }{
		{"a scenario after the other", `
slurmlab djsb run /srv/slurm.yaml --trust --out operator --format csv --quiet > csv
cut -d, -f 1-4 csv
grep -cE '"slurm": "26\.05\.[0-9]+"|"on": "slurm"|"status": "complete"' operator/djsb.json
ls operator/jobs | wc -l
`, `scenario,analytics,samples,failed
oversubscription,1,1,0
stop-continue,1,1,0
3
6
`},
		{"in a reservation that is there", `
scontrol create reservation ReservationName=bench StartTime=now Duration=60 Users=root Nodes=ALL > created
slurmlab djsb run /srv/slurm.yaml --trust --scenarios oversubscription --reservation bench --out reserved --format csv --quiet > csv
cut -d, -f 1-4 csv
scontrol -o show job | grep -c 'JobName=djsb.simulation .*Reservation=bench '
scontrol delete reservation=bench
slurmlab djsb run /srv/slurm.yaml --trust --reservation bench --out gone; echo $?
slurmlab djsb run /srv/slurm.yaml --trust --analysis-partition fast --out gone; echo $?
ls
`, `scenario,analytics,samples,failed
oversubscription,1,1,0
2
slurmlab: reservation: got "bench", which Slurm does not know here
2
slurmlab: analysis.partition: got "fast", which Slurm does not know here
2
created
csv
reserved
`},
		{"an ordinary user, by Slurm's suspension and by signals", `
useradd -m owner
su owner -c 'cd; slurmlab djsb run /srv/slurm.yaml --trust --scenarios stop-continue --out suspended --format csv --quiet | cut -d, -f 1-4'
su owner -c 'cd; slurmlab djsb run /srv/commands.yaml --trust --scenarios stop-continue --out signals --format csv --quiet | cut -d, -f 1-4'
`, `scenario,analytics,samples,failed
stop-continue,1,1,0
scenario,analytics,samples,failed
stop-continue,1,1,0
`},
		{"in an allocation, whoever is interrupted, too", `
id owner > /dev/null 2>&1 || useradd -m owner
cat > /tmp/session <<'END'
set -- --on allocation --simulation-command 'for i in $(seq 40); do sleep 0.2; done' --analysis-command 'sleep 2'
slurmlab djsb run /srv/slurm.yaml "$@" --out steps --format csv --quiet | cut -d, -f 1-4
grep -c '"on": "allocation"' steps/djsb.json
slurmlab djsb run /srv/slurm.yaml "$@" --simulation-command 'sleep 1000' --out stopped & job=$!
until squeue -h -s -j $SLURM_JOB_ID -o %j | grep -q djsb; do sleep 0.2; done
kill -INT $job
wait $job; echo $?
until ! squeue -h -s -j $SLURM_JOB_ID -o %j | grep -q djsb; do sleep 0.2; done
pgrep -u owner -x sleep | wc -l
END
su owner -c 'cd; salloc -Q -N 2 -n 4 bash /tmp/session'
`, `scenario,analytics,samples,failed
oversubscription,1,1,0
stop-continue,1,1,0
1
slurmlab: benchmark stopped is incomplete: reference stage: interrupted by the user
130
0
`},
		{"who is interrupted", `
slurmlab djsb run /srv/slurm.yaml --trust --simulation-command 'srun sleep 1000' --out stopped & job=$!
until squeue -h -t R | grep -q .; do sleep 0.2; done
kill -INT $job
wait $job; echo $?
grep -c '"status": "incomplete"' stopped/djsb.json
squeue -h -t PD,R,S | wc -l
`, `slurmlab: benchmark stopped is incomplete: reference stage: interrupted by the user
130
1
0
`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := c.Run(t.Context(), []byte("cd $(mktemp -d)\n{\n"+tc.script+"} 2>&1\n"), "bash", "-s")
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out); strings.TrimSpace(got) != strings.TrimSpace(tc.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}
