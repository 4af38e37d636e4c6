//go:build integration

package backend_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// scripts are what people submit, each with what sbatch(1) or the named page promises of it. They are the same on all
// backends; the words of sbatch are not compared.
var scripts = []struct{ name, script, want string }{
	{"the exit code is the job's (sacct(1), ExitCode)", `
run --wrap 'exit 7'; account
run --wrap true; account
`, "FAILED|7:0\nCOMPLETED|0:0\n"},
	{"a script that a signal kills (sacct(1), ExitCode: \"followed by the signal\")", `
run --wrap 'kill -SEGV $$'; account
run --wrap 'kill -KILL $$'; account
`, "FAILED|0:11\nFAILED|0:9\n"},
	{"sbatch waits and has the job's exit code (--wait)", `
sbatch -W -o /dev/null --wrap 'sleep 30; exit 9' >/dev/null; echo $?
`, "9\n"},
	{"both streams go to slurm-%j.out", `
run --wrap 'echo out; echo err >&2'
cat slurm-$id.out
`, "out\nerr\n"},
	{"streams of their own (-o, -e, -i)", `
echo read > in
run -i in -o out -e err --wrap 'cat; echo err >&2'
cat out err
`, "read\nerr\n"},
	{"standard input is /dev/null", `
run -o out --wrap 'wc -c'
cat out
`, "0\n"},
	{"patterns of file names (filename pattern)", `
run -J pattern -o '%x.%u.%A.%8j.%%' --wrap 'echo here'
mv "pattern.root.$id.$(printf %08d $id).%" found && cat found
run -o '\%x' --wrap 'echo "no pattern"'
cat %x
`, "here\nno pattern\n"},
	{"output is truncated, or appended to (--open-mode)", `
echo before > truncated; cp truncated appended
run -o truncated --open-mode=truncate --wrap 'echo after'
run -o appended --open-mode=append --wrap 'echo after'
cat truncated appended
`, "after\nbefore\nafter\n"},
	{"arguments of the script reach it as they are", `
printf '#!/bin/bash\nprintf "<%%s>" "$#" "$@"\n' > script
run -o out script one 'two  words' '' '$HOME' "it's"
cat out; echo
`, "<5><one><two  words><><$HOME><it's>\n"},
	{"options in the script, and those of the command line before them", `
printf '#!/bin/bash\n#SBATCH -J inside -n 3\n#SBATCH -o inside.out\necho $SLURM_JOB_NAME $SLURM_NTASKS\n' > script
run script; cat inside.out
run -J outside script; cat inside.out
`, "inside 3\noutside 3\n"},
	{"the interpreter of the first line runs it", `
printf '#!/usr/bin/perl\nprint "perl\\n"\n' > script
run -o out script; cat out
printf 'echo no interpreter\n' > script
sbatch script 2>/dev/null || echo refused
`, "perl\nrefused\n"},
	{"the environment of sbatch is the job's (--export)", `
export WORD='two  words' LINES_OF=$'one\ntwo'
run -o out --wrap 'echo "$WORD" "$LINES_OF"'; cat out
run -o out --export=WORD=other --wrap 'echo "$WORD" "${LINES_OF-unset}"'; cat out
run -o out --export=ALL,WORD=other --wrap 'echo "$WORD" "$LINES_OF"'; cat out
`, "two  words one\ntwo\nother unset\nother one\ntwo\n"},
	{"variables of the job (OUTPUT ENVIRONMENT VARIABLES)", `
run -J name -N 2 -n 4 --ntasks-per-node=2 -c 2 -o out --wrap 'echo $SLURM_JOB_ID $SLURM_JOB_NAME $SLURM_JOB_NUM_NODES $SLURM_NTASKS $SLURM_CPUS_PER_TASK $SLURM_JOB_PARTITION $SLURM_JOB_NODELIST $SLURM_JOB_CPUS_PER_NODE $SLURM_SUBMIT_DIR $SLURM_JOB_USER'
sed "s/^$id /ID /" out
`, "ID name 2 4 2 main n[1-2] 4(x2) /tmp/jobs root\n"},
	{"it runs in the directory of sbatch, or in another one (-D)", `
run -o out --wrap pwd; cat out
run -D / -o /tmp/jobs/out --wrap pwd; cat out
`, "/tmp/jobs\n/\n"},
	{"limits and umask of sbatch are the job's (--propagate, PropagateResourceLimits)", `
(ulimit -S -n 77; umask 027; run -o out --wrap 'ulimit -S -n; umask')
cat out
`, "77\n0027\n"},
	{"a job of another user", `
cat > as-anna <<-'END'
	sbatch -W -o anna.out --wrap 'id -un; echo $HOME; test -w /root || echo no root' >/dev/null
	stat -c %U anna.out
END
su anna -c 'bash as-anna'; cat anna.out
`, "anna\nanna\n/home/anna\nno root\n"},
	{"at its limit it gets SIGTERM, and then ends (--time)", `
run -t 1 -o out --wrap 'trap "echo told; exit 3" TERM; for i in $(seq 1000); do sleep 1; done'
account; grep told out
`, "TIMEOUT|0:0\ntold\n"},
	{"at its limit it is killed if it does not end (KillWait)", `
run -t 1 -o out --wrap 'trap "" TERM; for i in $(seq 1000); do sleep 1 || true; done; echo survived'
account; grep survived out
`, "TIMEOUT|0:0\n"},
	{"scancel (scancel(1): SIGTERM, and SIGKILL after KillWait)", `
submit -o out --wrap 'trap "echo told; exit 3" TERM; for i in $(seq 1000); do sleep 1; done'
runs; sleep 10; scancel $id; ended
account; grep told out
`, "CANCELLED|0:0\ntold\n"},
	{"a job that is cancelled before it starts", `
submit -H -o never --wrap true
scancel $id; ended
account; ls never 2>/dev/null
`, "CANCELLED|0:0\n"},
	{"a warning before the limit (--signal=B:USR1@60)", `
run -t 3 --signal=B:USR1@60 -o out --wrap 'trap "echo warned; exit 4" USR1; for i in $(seq 1000); do sleep 1; done'
account; cat out
`, "FAILED|4:0\nwarned\n"},
	{"a suspended script stands still (scontrol(1), suspend)", `
submit -o ticks --wrap 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 10; echo $i; done'
runs; sleep 25
scontrol suspend $id; sleep 1; had=$(wc -l < ticks)
sleep 500; echo $(($(wc -l < ticks) - had)) more
scontrol resume $id; ended
account; wc -l < ticks
`, "0 more\nCOMPLETED|0:0\n10\n"},
	{"held, released, and after another one (--hold, --dependency)", `
submit -H -o first --wrap 'sleep 20; exit 1'
first=$id
submit -d afternotok:$first -o second --wrap 'cat first && echo second'
second=$id
scontrol release $first
id=$first; ended; account
id=$second; ended; account; cat second
`, "FAILED|1:0\nCOMPLETED|0:0\nsecond\n"},
	{"sixteen at once", `
for i in $(seq 16); do submit -o many.$i --wrap "sleep 10; echo $i; exit $i"; done
while squeue -h | grep -q .; do sleep 5; done; sleep 10
cat many.* | sort -n | tr '\n' ' '
`, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "},
	{"directories for its output are made (mkdirpath in src/slurmd/slurmstepd/io.c)", `
run -o made/below/out --wrap 'echo here'; account; cat made/below/out
`, "COMPLETED|0:0\nhere\n"},
	{"output that cannot be opened ends this job, and no other one", `
run -o /proc/none/out --wrap 'touch ran'; account; ls ran 2>/dev/null
run --wrap true; account
`, "FAILED|0:53\nCOMPLETED|0:0\n"},
	{"afterwards all nodes are idle, and take jobs", `
sinfo -h -o '%D %t'
run -o out -N 4 --wrap 'echo runs'; cat out
`, "4 idle\nruns\n"},
}

// Scripts of people have the same states, exit codes and output on all backends. The cases share one cluster, as its
// boot costs more than all of them.
func TestScripts(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, on backend.Backend) {
		c := backendtest.Start(t, on, slurm.WithMachine(4, 8, 2), slurm.WithCore(0), slurm.WithClock(clock.Settings{Kind: clock.KindJump}))
		for _, tt := range scripts {
			t.Run(tt.name, func(t *testing.T) {
				out, err := c.Run(t.Context(), []byte(people+tt.script+"\nslurmlabd clock hold\n"), "bash", "-s")
				if err != nil {
					t.Fatal(err)
				}
				if got := string(out); strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
			})
		}
	})
}

// people has what the scripts share. Waiting costs virtual time only.
const people = `id anna >/dev/null 2>&1 || useradd -m anna
mkdir -p -m 777 /tmp/jobs; cd /tmp/jobs
slurmlabd clock go
submit() { id=$(sbatch --parsable "$@"); }
runs() { until [ "$(squeue -h -j $id -o %T 2>/dev/null)" = RUNNING ]; do sleep 1; done; }
ended() { while squeue -h -j $id 2>/dev/null | grep -q .; do sleep 5; done; sleep 10; accounted $id; }
run() { submit "$@"; ended; }
account() { sacct -n -X -P -j $id -o state,exitcode | sed 's/ by [0-9]*//'; }
`
