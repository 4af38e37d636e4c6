package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// The log has virtual time, as the logs of Slurm's daemons beside it, and each
// slurmlabd of a cluster appends to it.
func TestLogHasVirtualTime(t *testing.T) {
	dir := t.TempDir()
	c := clock.Clock{Kind: clock.KindScaled, Scale: 1, Real: time.Now(), Virtual: time.Date(2029, time.January, 1, 12, 0, 0, 0, time.UTC)}
	for _, event := range []string{"run begins", "run failed"} {
		log, file, err := openLog(dir, c)
		if err != nil {
			t.Fatal(err)
		}
		log.Error(event, "error", "slurmctld died")
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "slurmlabd.log"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "time=2029-01-01T12:") || !strings.HasSuffix(lines[0], `level=ERROR msg="run begins" error="slurmctld died"`) {
		t.Errorf("log %q", lines)
	}
}
