package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// A crash loop is more deaths within the window than mishaps explain; deaths of long ago
// do not count.
func TestCrashLoop(t *testing.T) {
	start := time.Unix(0, 0)
	for _, tt := range []struct {
		name  string
		apart time.Duration
		loops int // the first death that is one too many, 0 for none
	}{
		{"at once", 0, mostDeaths + 1},
		{"within the window", deathWindow/mostDeaths - time.Second, mostDeaths + 1},
		{"far apart", deathWindow / mostDeaths, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d deaths
			for i := 1; i <= 4*mostDeaths; i++ {
				loop := d.loop(start.Add(time.Duration(i) * tt.apart))
				if want := tt.loops > 0 && i >= tt.loops; loop != want {
					t.Fatalf("death %d: loop %v, want %v", i, loop, want)
				}
			}
			if len(d) > 4*mostDeaths {
				t.Errorf("%d deaths are kept", len(d))
			}
		})
	}
}

// supervised is a cluster of daemons that are shell scripts; every start of one adds a
// line to its log.
type supervised struct {
	*Daemons
	restarts chan Restart
	ended    chan error
	stop     context.CancelCauseFunc
}

var errEnough = errors.New("enough")

func supervise(t *testing.T, fatal map[string]string, steps ...step) *supervised {
	t.Helper()
	dir := t.TempDir()
	c := &Daemons{State: State{Clock: clock.Real()}, serving: newBoard(), fatal: fatal,
		paths: paths{state: filepath.Join(dir, "run", "cluster.json"), logs: dir, down: filepath.Join(dir, "down")}}
	if err := os.Mkdir(c.paths.down, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		s.log = s.name + ".out"
		if err := c.run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		hosttest.Until(t, s.name+" started", func() bool {
			return slices.Contains(tail(filepath.Join(dir, s.log), 1), s.name+" started")
		})
	}
	ctx, stop := context.WithCancelCause(context.Background())
	all := &supervised{Daemons: c, restarts: make(chan Restart, 100), ended: make(chan error, 1), stop: stop}
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.ended <- c.Supervise(ctx, func(r Restart) { all.restarts <- r })
	}()
	t.Cleanup(func() {
		stop(errEnough)
		// As slurmlabd does: who still supervises would start again what Stop ends.
		<-done
		c.Stop()
	})
	return all
}

// script is a daemon that says that it started, and then runs a line of shell.
func script(name, line, needs string) step {
	return step{name: name, part: name, argv: []string{"sh", "-c", "echo " + name + " started; " + line}, needs: needs}
}

func (s *supervised) kill(t *testing.T, name string) {
	t.Helper()
	now, err := read(s.paths.state)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(now.Daemons, func(d Daemon) bool { return d.Name == name })
	// The shell replaces itself by its last command.
	if err := syscall.Kill(now.Daemons[i].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// A daemon that is killed runs again and is in the state with its new process. Its restart is reported and in the
// state.
func TestKilledDaemonIsStartedAgain(t *testing.T) {
	first := script("first", "exec sleep ${1-3000}", "")
	first.argv, first.again = append(first.argv, "first"), []string{"3600"}
	s := supervise(t, nil, first, script("second", "exec sleep 3000", "first"))
	before, err := read(s.paths.state)
	if err != nil {
		t.Fatal(err)
	}
	s.kill(t, "first")
	told := hosttest.Receive(t, "a restart", s.restarts)
	if told.Daemon != "first" || told.How != "signal: killed" || told.Outage <= 0 {
		t.Errorf("told %+v", told)
	}
	after, err := read(s.paths.state)
	if err != nil || len(after.Daemons) != 2 || after.Broken != nil {
		t.Fatalf("state %+v, %v", after, err)
	}
	if after.Daemons[0].PID == before.Daemons[0].PID || !after.Daemons[0].Alive() {
		t.Errorf("the state has %+v for the new process, and had %+v", after.Daemons[0], before.Daemons[0])
	}
	hosttest.Until(t, "the new process sleeps for 3600 s", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", after.Daemons[0].PID))
		if err != nil {
			t.Fatal(err)
		}
		return string(text) == "sleep\x003600\x00"
	})
	if after.Daemons[1] != before.Daemons[1] {
		t.Errorf("another daemon was touched: %+v, was %+v", after.Daemons[1], before.Daemons[1])
	}
	if len(after.Restarts) != 1 || after.Restarts[0].Daemon != "first" {
		t.Errorf("the state has restarts %+v", after.Restarts)
	}
	s.stop(errEnough)
	if err := <-s.ended; !errors.Is(err, errEnough) {
		t.Errorf("Supervise = %v, want the cause of the context", err)
	}
}

// A daemon without which the cluster breaks is not started again: the error and the
// state have its name, the reason and its last words.
func TestFatalDeath(t *testing.T) {
	s := supervise(t, map[string]string{"only": "its jobs are gone"}, script("only", "exec sleep 3000", ""))
	s.kill(t, "only")
	var broken *DaemonError
	if err := <-s.ended; !errors.As(err, &broken) || !strings.Contains(err.Error(), "only died and is not started again: its jobs are gone; its last log lines:\n  only started") {
		t.Fatalf("Supervise = %v", err)
	}
	if now, err := read(s.paths.state); err != nil || now.Broken == nil || now.Broken.Error() != broken.Error() {
		t.Errorf("the state has %v, %v", now.Broken, err)
	}
}

// A daemon that dies whenever it is started breaks the cluster after mostDeaths tries.
func TestCrashLoopBreaksTheCluster(t *testing.T) {
	file := filepath.Join(t.TempDir(), "broken")
	loop := script("looping", fmt.Sprintf("[ ! -e %s ] || exit 3; exec sleep 3000", file), "")
	// It serves when it sleeps.
	loop.ready = func(context.Context) error {
		if missing(file) {
			return nil
		}
		return errors.New("not yet")
	}
	s := supervise(t, nil, loop)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.kill(t, "looping")
	err := <-s.ended
	if err == nil || !strings.Contains(err.Error(), "it died 6 times within 10m0s") {
		t.Fatalf("Supervise = %v", err)
	}
	log, readErr := os.ReadFile(filepath.Join(s.paths.logs, "looping.out"))
	if starts := strings.Count(string(log), "started"); readErr != nil || starts != 1+mostDeaths {
		t.Errorf("%d starts, %v, want %d", starts, readErr, 1+mostDeaths)
	}
}

// A daemon with a file in the folder of those that are to stay down is started when the
// file is gone, and one that needs it not before.
func TestDownAsLongAsWanted(t *testing.T) {
	s := supervise(t, nil, script("database", "exec sleep 3000", ""), script("client", "exec sleep 3000", "database"))
	file := filepath.Join(s.paths.down, "database")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.kill(t, "database")
	hosttest.Until(t, "the database is down", func() bool { return !s.serving.has("database") })
	s.kill(t, "client")
	hosttest.Until(t, "the client is down", func() bool { return !s.serving.has("client") })
	select {
	case r := <-s.restarts:
		t.Fatalf("%s was started although the database is to stay down", r.Daemon)
	default:
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if one, two := hosttest.Receive(t, "a restart", s.restarts), hosttest.Receive(t, "another restart", s.restarts); one.Daemon != "database" || two.Daemon != "client" {
		t.Errorf("restarts of %s and %s, want the database first", one.Daemon, two.Daemon)
	}
}

// A watcher of the state hears of each restart after it began once, and of the end.
func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.json")
	s := State{Clock: clock.Real(), Restarts: []Restart{{Daemon: "old"}}}
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	told, ended := make(chan string, 10), make(chan error, 1)
	go func() { ended <- watch(t.Context(), path, 1, func(r Restart) { told <- r.Daemon }) }()
	for _, name := range []string{"slurmdbd", "slurmctld"} {
		s.Restarts = append(s.Restarts, Restart{Daemon: name})
		if err := s.save(path); err != nil {
			t.Fatal(err)
		}
		if got := hosttest.Receive(t, name, told); got != name {
			t.Errorf("told %s, want %s", got, name)
		}
	}
	s.Broken = &DaemonError{Name: "slurmd", Why: "its jobs are gone", Log: []string{"bye"}}
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	var broken *DaemonError
	if err := <-ended; !errors.As(err, &broken) || broken.Name != "slurmd" || len(told) > 0 {
		t.Errorf("watch = %v, and %d more were told", err, len(told))
	}
}
