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

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// noted is an image whose commands of Slurm's note the virtual time at which they are started in started.log, among the
// logs of the daemons.
func noted(t *testing.T, on backend.Backend) string {
	t.Helper()
	const commands = "sacct sacctmgr sbatch scancel scontrol sdiag sinfo squeue srun sshare slurmchannel"
	const note = `#!/bin/bash\n[ -w /var/log/slurm ] && echo "$EPOCHREALTIME ${0##*/} $*" >>/var/log/slurm/started.log\nexec "$0.noted" "$@"\n`
	image := "slurmlab:test-starts-" + on.Name()
	build := exec.Command("docker", "build", "--network=none", "--tag", image, "-")
	build.Stdin = strings.NewReader(fmt.Sprintf("FROM %s\nRUN for c in %s; do p=$(command -v $c); mv $p $p.noted; printf '%s' >$p; chmod 755 $p; done\n",
		backendtest.Image(t, on), commands, note))
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

// "nothing in mid-run starts a program where the channel can do the same (cancel, signal, update, submission, on
// every backend)" (issue 38, item 0). Between the first submission and the last end slurmlabd, the runner and jobs'
// scripts start no command of Slurm's in the cluster. One asks on a front end how many GPUs of its range it got, which
// nothing in its environment says.
func startsNothing(t *testing.T, c run.Config, rows []accounting.Row) {
	t.Helper()
	first, last := rows[0].Submit, rows[0].End
	for _, row := range rows {
		if row.Submit.Before(first) {
			first = row.Submit
		}
		if row.End.After(last) {
			last = row.End
		}
	}
	text, err := os.ReadFile(filepath.Join(mustOpen(t, c.Dir).Logs(), "started.log"))
	if err != nil {
		t.Fatal(err)
	}
	asks := ""
	if c.Backend == backendtest.FrontEnd() {
		asks = "scontrol -o show job 2"
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
		case command != asks:
			t.Errorf("%v after the first submission was started: %s", at.Sub(first), command)
		}
	}
	// Otherwise the commands note nothing.
	if before == 0 || after == 0 {
		t.Errorf("%d commands before the run and %d after it, want some: %s", before, after, text)
	}
}
