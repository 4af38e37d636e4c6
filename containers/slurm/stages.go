package slurm

import (
	"errors"
	"regexp"
	"time"

	"github.com/testcontainers/testcontainers-go/wait"
)

// errBooting is why a cluster does not serve yet.
var errBooting = errors.New("the cluster has not booted")

// bootLog waits for the ReadyLine in a container's log, and tells each stage that
// it reads on the way.
func bootLog(tell func(stage string)) wait.Strategy {
	lines := "(?m)^(?:" + regexp.QuoteMeta(StageLine) + "(.+)|" + regexp.QuoteMeta(ReadyLine) + ")\n"
	return wait.ForLog(lines).Submatch(readiness(tell)).WithPollInterval(50 * time.Millisecond).WithStartupTimeout(StartLimit)
}

// readiness tells each stage once and holds when the cluster is ready. It is handed
// all lines of a boot so far, again and again; the submatch is the stage, empty in
// the ReadyLine.
func readiness(tell func(stage string)) func(pattern string, lines [][][]byte) error {
	told := 0
	return func(_ string, lines [][][]byte) error {
		for ; told < len(lines); told++ {
			stage := string(lines[told][1])
			if stage == "" {
				return nil
			}
			tell(stage)
		}
		return errBooting
	}
}
