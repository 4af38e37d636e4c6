package boot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// StatePath is where Boot leaves the State of the running cluster.
const StatePath = "/run/slurmlab/cluster.json"

// AgentPath is where the agent of a kept cluster leaves how it stands.
const AgentPath = "/run/slurmlab/agent.json"

// Controller is the daemon that knows the jobs.
const Controller = "slurmctld"

// FlightsPath is where the agent of a kept cluster leaves the jobs that it has released
// and not seen started, for the one that goes on in its place.
const FlightsPath = "/run/slurmlab/flights.json"

// LogDir holds the logs of all daemons.
const LogDir = "/var/log/slurm"

// Daemon is one process of the cluster.
type Daemon struct {
	Name string `json:"name"`
	// Part is the name of its program; daemons of one program are one part of the
	// cluster.
	Part string `json:"part"`
	PID  int    `json:"pid"`
	// Started is the process's start time in kernel ticks; it tells a daemon
	// from a later process with the same PID.
	Started string `json:"started"`
	Log     string `json:"log"`
}

// State describes a booted cluster.
type State struct {
	Spec conf.Spec `json:"spec"`
	// PID is the process that booted the cluster and keeps it.
	PID     int         `json:"pid"`
	Clock   clock.Clock `json:"clock"`
	Env     []string    `json:"env"`
	Daemons []Daemon    `json:"daemons"`
	// Restarts are those so far, in their order.
	Restarts []Restart `json:"restarts,omitempty"`
	// Stops during the boot, by part.
	Stops []Stop `json:"stops,omitempty"`
	// Settings are the lines of slurm.conf of the policy.
	Settings Settings `json:"settings,omitzero"`
	// Broken is why the cluster is broken for good, nil if it is not.
	Broken *DaemonError `json:"broken,omitempty"`
}

// note takes over a daemon that was started, instead of the one with its name.
func (s *State) note(d Daemon) {
	s.Daemons = slices.Clone(s.Daemons)
	if i := slices.IndexFunc(s.Daemons, func(old Daemon) bool { return old.Name == d.Name }); i >= 0 {
		s.Daemons[i] = d
		return
	}
	s.Daemons = append(s.Daemons, d)
}

// Load reads the State of the cluster that runs on this machine.
func Load(path string) (State, error) {
	s, err := read(path)
	if err != nil {
		return s, err
	}
	if s.Clock, err = s.Clock.Attach(); err != nil {
		return s, fmt.Errorf("load cluster state: %w", err)
	}
	return s, nil
}

// read is Load with a clock that is not attached.
func read(path string) (State, error) {
	var s State
	data, err := os.ReadFile(path)
	if err != nil {
		return s, fmt.Errorf("load cluster state: %w", err)
	}
	if err = json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("load cluster state: %s: %w", path, err)
	}
	return s, nil
}

// Command returns a Slurm client command on the cluster's clock.
func (s State) Command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), s.Env...)
	return cmd
}

// save replaces the file at once: another process may load it at any time.
func (s State) save(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save cluster state: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("save cluster state: %w", err)
	}
	// Only the process that boots the cluster saves its state.
	next := path + ".next"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return fmt.Errorf("save cluster state: %w", errors.Join(err, os.Remove(next)))
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("save cluster state: %w", err)
	}
	return nil
}

// DaemonError says that a daemon of the cluster is gone for good.
type DaemonError struct {
	Name string `json:"name"`
	// Why it is not started again; empty during the boot.
	Why string `json:"why,omitempty"`
	// Log holds the daemon's last log lines.
	Log []string `json:"log"`
}

func (e *DaemonError) Error() string {
	text := e.Name + " died"
	if e.Why != "" {
		text += " and is not started again: " + e.Why
	}
	if len(e.Log) == 0 {
		return text + "; its log is empty"
	}
	return fmt.Sprintf("%s; its last log lines:\n  %s", text, strings.Join(e.Log, "\n  "))
}

// End is how a daemon ended, and when.
type End struct {
	Real    time.Time `json:"real"`
	Virtual time.Time `json:"virtual"`
	// How is "exit status 1" or "signal: killed".
	How string `json:"how"`
}

// endPath is where the process that boots the cluster leaves the End of a daemon.
func endPath(dir, name string) string { return filepath.Join(dir, name+".end.json") }

// recordEnd leaves how a daemon ended for Daemon.End. Only the status of the cluster reads it, so a file that cannot
// be written is no fault.
func recordEnd(dir, name string, c clock.Clock, how string) {
	data, err := json.Marshal(End{Real: time.Now(), Virtual: c.Now(), How: how})
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		_ = os.WriteFile(endPath(dir, name), data, 0o644)
	}
}

// End returns how the daemon ended, nil if it runs or nobody was there to see.
func (d Daemon) End() *End {
	data, err := os.ReadFile(endPath(filepath.Dir(StatePath), d.Name))
	if err != nil || d.Alive() {
		return nil
	}
	end := new(End)
	if json.Unmarshal(data, end) != nil {
		return nil
	}
	return end
}

// LastWords returns the last line of the daemon's log.
func (d Daemon) LastWords() string { return strings.Join(tail(d.Log, 1), "") }

// Alive says that the daemon runs.
func (d Daemon) Alive() bool {
	started, zombie, err := processStart(d.PID)
	return err == nil && !zombie && started == d.Started
}

// processStart reads field 22 (starttime) and whether field 3 (state) marks a
// process that has ended, from /proc/PID/stat (proc(5)).
func processStart(pid int) (started string, ended bool, err error) {
	started, state, err := processState(pid)
	return started, state == "Z" || state == "X", err
}

// Stopped says whether a signal has stopped a process.
func Stopped(pid int) bool {
	_, state, err := processState(pid)
	return err == nil && state == "T"
}

// Runs says whether a process lives and no signal has stopped it.
func Runs(pid int) bool {
	_, state, err := processState(pid)
	return err == nil && !slices.Contains([]string{"T", "Z", "X"}, state)
}

// RunBy says whether a process is of the user, by its real id. The owner of /proc/PID is root while a process may not be
// dumped (proc(5)), as between a change of its user and its exec.
func RunBy(pid, user int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && bytes.Contains(status, fmt.Appendf(nil, "\nUid:\t%d\t", user))
}

func processState(pid int) (started, state string, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", fmt.Errorf("read process %d: %w", pid, err)
	}
	// The command name (field 2) may hold blanks and parentheses.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return "", "", fmt.Errorf("read process %d: %d fields after the name, want 20", pid, len(fields))
	}
	return fields[19], fields[0], nil
}

// tail returns the last n lines of a file, none if it cannot be read.
func tail(path string, n int) []string {
	const window = 16 << 10
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	buf := make([]byte, min(info.Size(), window))
	read, err := f.ReadAt(buf, info.Size()-int64(len(buf)))
	if err != nil && read == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(buf[:read]), "\n"), "\n")
	return lines[max(0, len(lines)-n):]
}
