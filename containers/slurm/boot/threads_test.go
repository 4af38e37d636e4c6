package boot

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// The error of a daemon that does not serve says where its threads wait, and the logs have each of them: proc_pid_wchan(5).
func TestThreadsOfADaemonThatDoesNotServe(t *testing.T) {
	s := supervise(t, nil, script("other", "exec sleep 3000", ""), script(Controller, "exec sleep 3000", "other"))
	for _, d := range s.daemons {
		// Until then the process may still be the shell, and what runs waits nowhere.
		hosttest.Until(t, d.name+" sleeps", func() bool {
			lines, _ := threadsOf(d.proc.known.PID)
			return len(lines) == 1 && strings.Contains(lines[0], " sleep wchan ") && !strings.HasSuffix(lines[0], " running")
		})
	}
	text := s.nameThreads(Controller)
	if !regexp.MustCompile(`^; threads of slurmctld: 1 in \S+$`).MatchString(text) {
		t.Errorf("got %q", text)
	}
	kept, err := os.ReadFile(filepath.Join(s.paths.logs, threadsFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := regexp.MustCompile(`(?m)^\d+ sleep wchan \S+ syscall .+$`).FindAllString(string(kept), -1); len(got) != 2 || !strings.HasPrefix(string(kept), "other\n") {
		t.Errorf("got %s", kept)
	}
	if text = s.nameThreads("slurmd"); strings.Count(text, "threads of ") != 1 {
		t.Errorf("a daemon that was not started: got %q, want slurmctld alone", text)
	}
	if text = (&Daemons{}).nameThreads("slurmd"); text != "" {
		t.Errorf("without daemons: got %q", text)
	}
}
