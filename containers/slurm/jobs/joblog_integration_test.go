//go:build integration

package jobs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// The real slurmctld writes a line that Ends understands for a job that completed and for one that never ran. No job
// whose line is there still counts as running. The spool has a directory for a running job only.
func TestCompletionLogOfSlurm(t *testing.T) {
	backendtest.Each(t, testCompletionLog)
}

func testCompletionLog(t *testing.T, on backend.Backend) {
	t.Parallel()
	c := backendtest.Start(t, on, slurm.WithMachine(4, 8, 0))
	shell := func(script string) string {
		out, runErr := c.Run(t.Context(), []byte(script), "bash", "-e", "-s")
		if runErr != nil {
			t.Fatal(runErr)
		}
		return string(out)
	}
	spool := "ls -d " + conf.SpoolDir + "/job[0-9]* 2>/dev/null | wc -l\n"

	shell("submit 6000 --parsable -J 7 -n 8 -t 200 -o /dev/null\n" +
		"submit 5 --parsable -J 8 -H -n 8 -t 5 -o /dev/null\nscancel 2\n")
	inSpool := func(count string) func() bool {
		return func() bool { return strings.TrimSpace(shell(spool)) == count }
	}
	hosttest.Until(t, "the running job has a directory in the spool", inSpool("1"))
	shell("until grep -q '^JobId=2 ' " + conf.CompletionLog + "; do sleep 0.1; done\n")
	// The log is read on the same core as soon as it grows, and the queue then.
	states := shell("scancel 1\nwhile ! grep -q '^JobId=1 ' " + conf.CompletionLog + "; do sleep 0.01; done\n" +
		"squeue --noheader -o %T -j 1 2>/dev/null || true\n")
	if state := strings.TrimSpace(states); state != "" && state != "COMPLETING" {
		t.Errorf("job 1 is %s after its end was logged", state)
	}
	hosttest.Until(t, "no job is in the spool after the last end", inSpool("0"))
	path := filepath.Join(t.TempDir(), "jobcomp.log")
	appendTo(t, path, shell("cat "+conf.CompletionLog+"\n"))
	ids, failed := follow(t, path)
	expect(t, ids, failed, 2, 1)
}
