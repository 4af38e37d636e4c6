//go:build integration

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// A program of a user's in the cluster changes nothing that the run measures: docs/plugins.md says what it cannot do,
// and testdata/cheats.py tries it. What it started in a session of its own rests between two questions.
func TestPluginThatCheats(t *testing.T) {
	t.Parallel()
	// Long enough for the look at its states, and for jumps before and after.
	jobs := mixed + strings.Repeat("60 -n 8\n", 150)
	c := config(t, backendtest.Quick(), file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 2\n"), file(t, "mixed.txt", jobs), "exec:cheats.py", 0)
	c.Dir = run.OwnDir(t, "cheats")
	decidedBy(t, &c, "testdata/cheats.py")
	var warnings []string
	warn := c.Warn
	c.Warn = func(text string) {
		switch {
		case strings.HasPrefix(text, "The files in /tmp fill their 256 MiB: "):
			warnings = append(warnings, text)
		case strings.HasPrefix(text, standstill):
			t.Log(text)
		default:
			warn(text)
		}
	}
	seen := make(chan string, 1)
	whenRunning(&c, func() {
		// Its states as long as nothing is asked: on a held clock it is asked for some milliseconds each five seconds.
		seen <- inContainer(t, filepath.Base(c.Dir), "sh", "-c", `slurmlabd clock hold
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			states=$(for p in /proc/[0-9]*; do grep -q '^Uid:.65533' $p/status 2>/dev/null && grep '^State' $p/status; done | cut -f 2 | cut -c 1 | sort | paste -s -d ' ')
			[ "$states" = "T T" ] && break; sleep 0.1
		done; echo "$states"
		slurmlabd clock go`)
	})
	data, m := complete(t, c)
	if m.Completed != len(c.Jobs) || m.Placement == nil || m.Placement.Exact != len(c.Jobs) || len(faultsOf(data.Cycles)) > 0 {
		t.Errorf("%d of %d jobs completed, placement %+v, faults %v", m.Completed, len(c.Jobs), m.Placement, faultsOf(data.Cycles))
	}
	if states := strings.TrimSpace(hosttest.Receive(t, "the states", seen)); states != "T T" {
		t.Errorf("the program and its child are in states %q, want both stopped", states)
	}
	if f := data.Run.Fidelity; f != nil && len(f.Stops) > 0 {
		t.Errorf("the resting program counts as stopped: %+v", f.Stops)
	}
	if len(warnings) != 1 {
		t.Errorf("warnings of a full /tmp: %q, want one", warnings)
	}
	wantTries(t, filepath.Join(c.Dir, "logs", "program.log"))
}

// wantTries compares the log of cheats.py with what is promised.
func wantTries(t *testing.T, log string) {
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	const denied, noSocket = "^refused Permission denied$", "^refused Operation not permitted$"
	want := map[string]string{
		"database-client": "^refused ERROR ", "database-socket": noSocket, "database-files": denied, "database-directory": denied,
		"clock-write": denied, "clock-mode": noSocket, "clock-replace": noSocket, "clock-read": "^done 2029$",
		"slurm-submit": "^refused sbatch: error: ", "slurm-look": "^refused", "slurm-key": denied, "slurm-sack": denied,
		"slurm-sack-socket": noSocket, "slurm-port": noSocket, "log-of-ends": denied, "processes": noSocket, "own-file": denied,
		"places": "^done /dev/mqueue /dev/shm /tmp /var/tmp$", "tmp": "^refused No space left on device$", "session": "^done None$",
	}
	for line := range strings.Lines(string(text)) {
		name, came, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pattern, known := want[name]; !known || !regexp.MustCompile(pattern).MatchString(came) {
			t.Errorf("%s: %s, want %s", name, came, pattern)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("the program has not tried %s", name)
	}
}

// A database that somebody has changed all the same fails the run: here root, by a trigger at the end of each job. Only
// root, as slurmdbd's user, and MariaDB's own user enter the directory of the socket.
func TestForgedDatabase(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.Quick(), file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 2\n"),
		file(t, "two.txt", "10 -n 8\n10 -n 8\n"), policy.WholeQueue, 0)
	c.Dir = run.OwnDir(t, "forged")
	// Under the jump clock the jobs would be over before anybody can do anything.
	c.Clock = clock.Settings{Kind: clock.KindReal, TimeScale: 1, ThinkScale: 1}
	accounts := make(chan string, 1)
	whenRunning(&c, func() {
		accounts <- inContainer(t, filepath.Base(c.Dir), "mariadb", "-N", "-e", "SELECT User FROM mysql.user WHERE User <> 'PUBLIC'")
		inContainer(t, filepath.Base(c.Dir), "mariadb", "slurm_acct_db", "-e",
			"CREATE TRIGGER forge BEFORE UPDATE ON slurmlab_job_table FOR EACH ROW SET NEW.time_start = NEW.time_start - 60")
	})
	_, err := run.Run(t.Context(), c)
	const want = "the accounting is not what happened in the run: "
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "it ran from ") {
		t.Fatalf("%v, want %q", err, want)
	}
	record, readErr := mustOpen(t, c.Dir).ReadRun()
	if err = errors.Join(readErr); err != nil || record.Status != trace.StatusFailed || !strings.Contains(record.Reason, want) {
		t.Errorf("run.json: %v, %s: %s", err, record.Status, record.Reason)
	}
	users := strings.Fields(hosttest.Receive(t, "the accounts", accounts))
	slices.Sort(users)
	if users = slices.Compact(users); !slices.Equal(users, []string{"mariadb.sys", "root", "slurm"}) {
		t.Errorf("the database has accounts of %q", users)
	}
}
