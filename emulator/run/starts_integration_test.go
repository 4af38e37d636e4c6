//go:build integration

package run_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// noted is an image whose commands of Slurm's note the virtual time at which they are started in started.log, among the
// logs of the daemons.
func noted(t *testing.T, series string) string {
	t.Helper()
	const commands = "sacct sacctmgr sbatch scancel scontrol sdiag sinfo squeue srun sshare slurmchannel"
	const note = `#!/bin/bash\n[ -w /var/log/slurm ] && echo "$EPOCHREALTIME ${0##*/} $*" >>/var/log/slurm/started.log\nexec "$0.noted" "$@"\n`
	image := "slurmlab:test-starts-" + series
	build := exec.Command("docker", "build", "--network=none", "--tag", image, "-")
	build.Stdin = strings.NewReader(fmt.Sprintf("FROM %s\nRUN for c in %s; do p=$(command -v $c); mv $p $p.noted; printf '%s' >$p; chmod 755 $p; done\n",
		backendtest.Image(t, series), commands, note))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("docker", "rmi", image).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return image
}

// "nothing in mid-run starts a program where the channel can do the same (cancel, signal, update, submission, on every
// backend)" (issue 38, item 0): between the first submission and the last end no command of Slurm's is started in the
// cluster, by slurmlabd, the runner or a script of a job. Jobs end in every way that a workload has.
func TestRunsStartNoCommandOfSlurm(t *testing.T) {
	t.Parallel()
	const rows = `1,0,100,600,1,8,8,0,0,0,a,failed,0
2,0,180,600,1,8,8,0,0,0,a,cancelled,0
3,0,200,600,1,8,8,2,2,0,a,out_of_memory,0
4,0,120,120,1,8,8,0,0,0,a,timeout,0
5,30,60,600,4,32,8,0,0,0,a,completed,0
6,30,0,600,4,32,8,0,0,0,a,cancelled_pending,40
`
	for _, series := range backendtest.Core() {
		for _, name := range []string{policy.WholeQueue, policy.Auction} {
			t.Run(series+" "+name, func(t *testing.T) {
				c := config(t, series, file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\ngpus: 2\n"), file(t, "ends.csv", outcomeHeader+rows), name, 0)
				c.Image = noted(t, series)
				c.Dir = filepath.Join(t.TempDir(), "starts-"+series+"-"+name)
				r := carriedOut(t, c)
				proven(t, r.Run, nil)
				dir := mustOpen(t, c.Dir)
				_, accounted, err := dir.Accounting()
				if err != nil {
					t.Fatal(err)
				}
				first, last := accounted[0].Submit, accounted[0].End
				for _, row := range accounted {
					if row.Submit.Before(first) {
						first = row.Submit
					}
					if row.End.After(last) {
						last = row.End
					}
				}
				text, err := os.ReadFile(filepath.Join(dir.Logs(), "started.log"))
				if err != nil {
					t.Fatal(err)
				}
				before, after := 0, 0
				for line := range strings.Lines(string(text)) {
					stamp, command, _ := strings.Cut(strings.TrimSpace(line), " ")
					seconds, err := strconv.ParseFloat(stamp, 64)
					if err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					switch at := time.UnixMicro(int64(seconds * 1e6)); {
					case at.Before(first):
						before++
					case at.After(last):
						after++
					default:
						t.Errorf("%v after the first submission was started: %s", at.Sub(first), command)
					}
				}
				// Otherwise the commands note nothing.
				if before == 0 || after == 0 {
					t.Errorf("%d commands before the run and %d after it, want some: %s", before, after, text)
				}
			})
		}
	}
}
