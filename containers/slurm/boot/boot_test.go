package boot

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	tests := []struct {
		name, text string
		n          int
		want       []string
	}{
		{"fewer lines than asked", "a\nb\n", 5, []string{"a", "b"}},
		{"the last ones", "a\nb\nc\n", 2, []string{"b", "c"}},
		{"no newline at the end", "a\nb", 1, []string{"b"}},
		{"far behind the window", strings.Repeat("x", 40<<10) + "\nlast\n", 1, []string{"last"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := tail(path, tt.n); !slices.Equal(got, tt.want) {
				t.Fatalf("tail = %q, want %q", got, tt.want)
			}
		})
	}
	if got := tail(filepath.Join(t.TempDir(), "missing"), 3); got != nil {
		t.Errorf("tail of a missing file = %q, want nothing", got)
	}
}

// A PID that now belongs to another process is not the daemon.
func TestAliveChecksTheStartTime(t *testing.T) {
	self := Daemon{Name: "self", PID: os.Getpid(), Started: "1"}
	if self.Alive() {
		t.Error("a process that started at another time counts as the daemon")
	}
	started, _, err := processStart(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	self.Started = started
	if !self.Alive() {
		t.Error("this process counts as dead")
	}
}

func TestStateRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "cluster.json")
	want := State{Spec: conf.Spec{Nodes: 2, Cores: 8, Scheduler: conf.Scheduler{Type: conf.Builtin, External: true}, Clock: clock.Settings{Kind: clock.KindScaled, TimeScale: 20}},
		Clock: clock.Real(), Env: []string{"FAKETIME=+0 x20"}}
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || !reflect.DeepEqual(got.Spec, want.Spec) || !slices.Equal(got.Env, want.Env) {
		t.Fatalf("Load = %+v, %v, want %+v", got, err, want)
	}
	if _, err := Load(path + "x"); err == nil {
		t.Error("a missing state loads")
	}
}

// A reader that loads the state while it is saved again gets the old one or the new one: a file that a reader has
// open is never written to.
func TestSaveReplacesTheState(t *testing.T) {
	dir := t.TempDir()
	path, reader := filepath.Join(dir, "cluster.json"), filepath.Join(dir, "reader")
	old := State{Clock: clock.Real(), Daemons: []Daemon{{Name: "slurmctld", PID: 7}}}
	if err := old.save(path); err != nil {
		t.Fatal(err)
	}
	// A second name of the same file stands for a reader that has it open.
	if err := os.Link(path, reader); err != nil {
		t.Fatal(err)
	}
	next := old
	next.Daemons = append(slices.Clone(old.Daemons), Daemon{Name: "agent", PID: 8})
	if err := next.save(path); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]Daemon{path: next.Daemons, reader: old.Daemons} {
		if got, err := Load(name); err != nil || !slices.Equal(got.Daemons, want) {
			t.Errorf("%s: %+v, %v, want %+v", filepath.Base(name), got.Daemons, err, want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v, want no other", files, err)
	}
}

// A boot that waits in vain names the daemons that a signal has stopped (issue 16: "the
// reason names the cause").
func TestStoppedDaemonIsNamed(t *testing.T) {
	sleeper := exec.Command("sleep", "3600")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sleeper.Process.Kill()
		_ = sleeper.Wait()
	})
	c := &Daemons{State: State{Daemons: []Daemon{{Name: "slurmctld", Part: "slurmctld", PID: sleeper.Process.Pid}, {Name: "slurmdbd", Part: "slurmdbd", PID: os.Getpid()}}}}
	stops := c.watchStops()
	if got := stops(); got != nil {
		t.Errorf("all run, and got %v", got)
	}
	if !Runs(sleeper.Process.Pid) || Runs(0) {
		t.Error("a process that runs does not, or one that is not there does")
	}
	stops = c.watchStops()
	if got := c.nameStopped(); got != "" {
		t.Errorf("all run, and got %q", got)
	}
	if err := sleeper.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// waitid(2) returns when the process has stopped.
	if err := unix.Waitid(unix.P_PID, sleeper.Process.Pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := c.nameStopped(), "; stopped by a signal: slurmctld"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if Runs(sleeper.Process.Pid) {
		t.Error("a process that a signal has stopped runs")
	}
	// A boot that survives it tells of it (issue 16, invariant 10).
	if got := stops(); len(got) != 1 || got[0].Part != "slurmctld" || got[0].Real <= 0 {
		t.Errorf("the boot was stopped by %v, want slurmctld", got)
	}
}

// A boot that breaks at a limit of its container names the limit (issue 16, invariant 7):
// what it could not start or ask any more are the consequences.
func TestLimitIsNamed(t *testing.T) {
	root := t.TempDir()
	full := func(count string) {
		if err := os.WriteFile(filepath.Join(root, "pids.events"), []byte("max "+count+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	full("0")
	c := &Daemons{limits: Cgroup{Root: root}}
	broken := errors.New("sinfo: fork/exec: resource temporarily unavailable")
	if err := c.explained(broken); !errors.Is(err, broken) || err.Error() != broken.Error() {
		t.Errorf("no limit, and got %v", err)
	}
	full("3")
	err := c.until(t.Context(), "runner", pause(time.Hour), func(context.Context) error { return broken }, c.fault)
	if !errors.Is(err, ErrExceeded) || !strings.Contains(err.Error(), "out of processes: 3 ") {
		t.Errorf("got %v, want the limit at once", err)
	}
	if again := c.explained(err); strings.Count(again.Error(), "out of processes") != 1 {
		t.Errorf("the limit is named twice: %v", again)
	}
	if err = c.explained(broken); !errors.Is(err, broken) || !strings.Contains(err.Error(), "out of processes: 3 ") {
		t.Errorf("got %v, want the limit and its consequence", err)
	}
}

// Each image has the packed database that a cluster begins with. Its redo log has the size that MariaDB is started
// with. MariaDB would remake a log of another size in each boot.
func TestEmptyDatabaseOfImages(t *testing.T) {
	script, err := os.ReadFile("../image/database.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mariadb-install-db --user=mysql --datadir=" + dataDir + " ", " " + logFileSize + "\n",
		" -czf " + emptyDatabase + " " + strings.TrimPrefix(dataDir, "/") + "\n"} {
		if !strings.Contains(string(script), want) {
			t.Errorf("database.sh lacks %q", want)
		}
	}
	files, err := filepath.Glob("../image/*/Dockerfile")
	if err != nil || len(files) != 2 {
		t.Fatalf("images %q, %v, want two", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "/tmp/database.sh;") {
			t.Errorf("%s does not run database.sh", file)
		}
	}
}

// A configuration that Slurm refuses ends the boot at once, in Slurm's words: no daemon
// that is asked again will take it.
func TestRefusedConfigurationEndsTheBoot(t *testing.T) {
	c := &Daemons{}
	says := "echo 'scontrol: error: Parse error in file slurm.conf line 9'; echo 'scontrol: fatal: Unable to process configuration file'; exit 1"
	err := c.until(t.Context(), "slurmdbd", pause(time.Hour), c.answers("sh", "-c", says), func() error { return nil })
	want := "Slurm refuses the configuration: scontrol: error: Parse error in file slurm.conf line 9; scontrol: fatal: Unable to process configuration file"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Settings that Slurm has otherwise than asked for are noted with both values, and one that it
// left out ends the boot.
func TestReadSettings(t *testing.T) {
	const shown = "KillWait                = 30 sec\nOverTimeLimit           = 5 min\nDefMemPerCPU            = 7\n"
	got, err := readSettings(conf.Lines{"KillWait=60", "OverTimeLimit=5"}, shown)
	want := Settings{
		Effective: map[string]string{"KillWait": "30 sec", "OverTimeLimit": "5 min"},
		Notes:     []string{"KillWait: the setting is 60, and the running Slurm has 30 sec."},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	_, err = readSettings(conf.Lines{"DefMemPerNode=7", "DefMemPerCPU=7", "Licenses=x"}, shown)
	const missing = "DefMemPerNode: Slurm did not take DefMemPerNode=7: scontrol show config has no such line\n" +
		"Licenses: Slurm did not take Licenses=x: scontrol show config has no such line"
	if err == nil || err.Error() != missing {
		t.Errorf("got %v, want %s", err, missing)
	}
}

// A daemon is asked only once somebody listens on its port: the state is 0A (TCP_LISTEN of Linux' include/net/tcp_states.h)
// in proc_pid_net(5)'s table, whose ports are hexadecimal.
func TestListens(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1AA1 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 21 1 0 100 0 0 10 0
   1: 0100007F:1AA3 0100007F:C350 01 00000000:00000000 00:00000000 00000000   999        0 22 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:1AA3 01 00000000:00000000 00:00000000 00000000   999        0 23 1 0 20 4 30 10 -1
`
	for port, want := range map[uint16]bool{controllerPort: true, accountingPort: false, 50000: false} {
		if got := listens(table, port); got != want {
			t.Errorf("port %d: %v, want %v", port, got, want)
		}
	}
}

// A listener of this process is seen in the kernel's table, until it is closed.
func TestListening(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ready := listening(uint16(listener.Addr().(*net.TCPAddr).Port))
	if err = ready(t.Context()); err != nil {
		t.Error(err)
	}
	if err = listener.Close(); err != nil {
		t.Fatal(err)
	}
	if ready(t.Context()) == nil {
		t.Error("a closed listener listens")
	}
}
