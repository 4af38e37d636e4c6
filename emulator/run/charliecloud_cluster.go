package run

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/results/trace"
)

// ownCluster is a cluster of Charliecloud. Its directory has clusterFile and what the cluster
// writes.
type ownCluster struct {
	Container
	// Outer is the process that holds the namespaces, and First the first one in them; 0 before they are
	// started. Began tells Outer from a later process of that number.
	Outer, First int
	Began        string
	dir          string
	// lease, ended and code belong to a cluster that this process has started. lease keeps it alive, code is its exit
	// code when ended is closed.
	lease io.Closer
	ended chan struct{}
	code  int
}

// clusterFile describes a cluster in its directory.
const clusterFile = "cluster.json"

// bind is a directory of a cluster that is one of this machine.
type bind struct{ here, there string }

// written are the directories that a cluster writes to. Its image is read only.
func written() []string {
	return []string{conf.Dir, "/run", "/tmp", "/dev/shm", "/var/lib/mysql", "/var/lib/slurmlab", "/var/spool", boot.LogDir, conf.ProgramDir, conf.ModuleDir}
}

func (c *ownCluster) binds() []bind {
	var all []bind
	for _, there := range written() {
		all = append(all, bind{filepath.Join(c.dir, strings.ReplaceAll(there[1:], "/", "-")), there})
	}
	return all
}

// newCluster makes the directory of a cluster.
func newCluster(s slurm.Settings) (*ownCluster, error) {
	base, err := clusterBase()
	if err != nil {
		return nil, err
	}
	var random [5]byte
	if _, err = rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("name cluster: %w", err)
	}
	id := idPrefix + hex.EncodeToString(random[:])
	c := &ownCluster{dir: filepath.Join(base, id), Container: Container{
		ID: id, Role: s.Role, Name: s.Name, Core: s.Core, Owner: s.Owner, Created: time.Now(),
	}}
	if err = os.Mkdir(c.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory of cluster: %w", err)
	}
	for _, b := range c.binds() {
		if err = os.Mkdir(b.here, 0o755); err != nil {
			return nil, errors.Join(fmt.Errorf("make directory of cluster: %w", err), os.RemoveAll(c.dir))
		}
	}
	if err = c.write(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	return c, nil
}

func (c *ownCluster) write() error {
	return trace.WriteAtomic(filepath.Join(c.dir, clusterFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(c) })
}

func readCluster(dir string) (*ownCluster, error) {
	c := &ownCluster{dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, clusterFile))
	if err != nil {
		return c, fmt.Errorf("read cluster: %w", err)
	}
	if err = json.Unmarshal(text, c); err != nil {
		return c, fmt.Errorf("read %s: %w", filepath.Join(dir, clusterFile), err)
	}
	return c, nil
}

// addProgram makes room for a program of the user's where the cluster finds it, and returns what is bound there. It copies
// the modules that it can import. The program itself stays where the user can run it: many
// machines run nothing that lies in /dev/shm (noexec).
func (c *ownCluster) addProgram(p slurm.Program) ([]bind, error) {
	if p.File == "" {
		return nil, nil
	}
	file, err := filepath.Abs(p.File)
	if err != nil {
		return nil, err
	}
	if strings.Contains(file, ":") {
		return nil, fmt.Errorf("program %s: a path with a colon is not allowed with %s; move it", file, Charliecloud{}.Name())
	}
	for name, module := range p.Modules {
		if err = os.WriteFile(c.here(slurm.ModulePath(name)), module, 0o644); err != nil {
			return nil, err
		}
	}
	return []bind{{file, p.Path()}}, os.WriteFile(c.here(p.Path()), nil, 0o755)
}

// here is where this machine has a file that the cluster writes, empty if it writes none there.
func (c *ownCluster) here(path string) string {
	for _, b := range c.binds() {
		if below, err := filepath.Rel(b.there, path); err == nil && filepath.IsLocal(below) {
			return filepath.Join(b.here, below)
		}
	}
	return ""
}

// confined begins a command on the cluster's core.
func (c *ownCluster) confined() []string {
	if c.Core == "" {
		return nil
	}
	return []string{"taskset", "-c", c.Core}
}

// launch starts the cluster, whose standard output and error go to out.
func (c *ownCluster) launch(cmd *exec.Cmd, out io.Writer) error {
	lease, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = out, out
	// A process group of its own, so that a terminal's Ctrl-C does not reach the cluster; and not a session
	// (docs/design/024-without-docker.md).
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Whatever is left when the first process has ended holds no output back.
	cmd.WaitDelay = time.Second
	if err = cmd.Start(); err != nil {
		return err
	}
	if _, err = io.WriteString(lease, slurm.LeaseLine); err != nil {
		// It has ended already, and how says the state.
		_ = lease.Close()
	}
	c.lease, c.ended = lease, make(chan struct{})
	go func() {
		// How it ended is in the state.
		_ = cmd.Wait()
		c.code = exitCode(cmd.ProcessState)
		close(c.ended)
	}()
	c.Outer, c.Began = cmd.Process.Pid, began(cmd.Process.Pid)
	return c.write()
}

// exitCode is the exit code of a process, 128 and the number of the signal that killed it.
func exitCode(state *os.ProcessState) int {
	// Signal is -1 for a process that no signal has killed.
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signal() > 0 {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// began is when a process started, in the kernel's ticks, empty for one that has ended.
func began(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name of a process, in parentheses, may contain anything. The start is the 22nd field, the
	// state the third; Z is one whose parent has not waited for it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}

// running says whether the cluster runs.
func (c *ownCluster) running() bool { return c.Began != "" && began(c.Outer) == c.Began }

func (c *ownCluster) status() string {
	switch {
	case c.running():
		return "running"
	case c.Outer == 0:
		return "created"
	default:
		return "exited"
	}
}

// first is the first process in the namespaces, whose child Outer waits for.
func (c *ownCluster) first() (int, error) {
	if c.First == 0 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", c.Outer, c.Outer))
		if err != nil {
			return 0, err
		}
		if c.First, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
			return 0, fmt.Errorf("find the first process of cluster %s: %w", c.ID(), err)
		}
	}
	return c.First, nil
}

// ID implements Cluster.
func (c *ownCluster) ID() string { return c.Container.ID }

// Stream implements Cluster.
func (c *ownCluster) Stream(ctx context.Context, kill <-chan struct{}, stdin io.Reader, stdout, stderr io.Writer, argv ...string) (int, error) {
	fail := func(err error) (int, error) { return 0, fmt.Errorf("run %s: %w", argv[0], err) }
	cmd, err := c.enter(ctx, argv)
	if err != nil {
		return fail(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return fail(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	faults, err := cmd.StderrPipe()
	if err != nil {
		return fail(err)
	}
	if err = cmd.Start(); err != nil {
		return fail(err)
	}
	fed := make(chan struct{}, 1)
	go func() {
		if stdin != nil {
			_, _ = io.Copy(in, stdin)
		}
		fed <- struct{}{}
	}()
	copied, ended := make(chan error, 2), make(chan struct{})
	go func() {
		_, copyErr := io.Copy(stdout, out)
		copied <- copyErr
	}()
	go func() {
		_, copyErr := io.Copy(stderr, faults)
		copied <- copyErr
	}()
	// Wait closes the ends that are read from, and what the command has started may hold the others.
	wait := sync.OnceFunc(func() {
		go func() {
			_ = cmd.Wait()
			close(ended)
		}()
	})
	defer wait()
	left := cap(copied)
	interrupted := ctx.Done()
	for {
		select {
		case <-fed:
			fed = nil
			_ = in.Close()
		case <-interrupted:
			interrupted = nil
			_ = in.Close()
		case <-kill:
			_ = cmd.Process.Kill()
			return fail(context.Canceled)
		case copyErr := <-copied:
			if copyErr != nil {
				_ = cmd.Process.Kill()
				return fail(fmt.Errorf("read output: %w", copyErr))
			}
			if left--; left == 0 {
				wait()
			}
		case <-ended:
			return exitCode(cmd.ProcessState), nil
		}
	}
}

// enter is a command in the cluster. It enters the outer namespaces first: entered at once, both are
// refused.
func (c *ownCluster) enter(ctx context.Context, argv []string) (*exec.Cmd, error) {
	if !c.running() {
		return nil, fmt.Errorf("cluster %s: %w", c.ID(), ErrGone)
	}
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	full := append(c.confined(), "nsenter", "--preserve-credentials", "-t", strconv.Itoa(c.Outer), "--user", "--net", "--ipc", "--mount",
		fmt.Sprintf("--pid=/proc/%d/ns/pid", first), "nsenter", "--preserve-credentials", "-t", "1", "--user", "--mount", "--root")
	cmd := outside(context.WithoutCancel(ctx), append(full, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, nil
}

// CopyDir implements Cluster.
func (c *ownCluster) CopyDir(ctx context.Context, dir string, keep func(name string, data io.Reader) error) error {
	from := c.here(dir)
	if from == "" {
		return fmt.Errorf("copy %s: a cluster writes nothing there", dir)
	}
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("copy %s: %w", dir, err)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return fmt.Errorf("copy %s: %w", dir, err)
		}
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("copy %s: %w", dir, err)
		}
		defer func() { _ = file.Close() }()
		if err = keep(name, file); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
		return nil
	})
}

// State implements Cluster.
func (c *ownCluster) State(context.Context) (ClusterState, error) {
	if _, err := os.Stat(c.dir); err != nil {
		return ClusterState{}, fmt.Errorf("cluster %s: %w", c.ID(), ErrGone)
	}
	state := ClusterState{Status: c.status(), Running: c.running()}
	if c.ended != nil && !state.Running {
		<-c.ended
		state.ExitCode = c.code
	}
	return state, nil
}

// killLimit is the real time within which the kernel ends what was killed.
const killLimit = 10 * time.Second

// Kill implements Cluster.
func (c *ownCluster) Kill(context.Context) error {
	if !c.running() {
		return nil
	}
	// The first process takes all others of its namespace with it.
	if first, err := c.first(); err == nil {
		_ = unix.Kill(first, unix.SIGKILL)
	}
	if err := unix.Kill(c.Outer, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill cluster %s: %w", c.ID(), err)
	}
	for until := time.Now().Add(killLimit); c.running(); time.Sleep(endPoll / 10) {
		if time.Now().After(until) {
			return fmt.Errorf("kill cluster %s: it still runs after %s", c.ID(), killLimit)
		}
	}
	return nil
}

// Remove implements Cluster.
func (c *ownCluster) Remove(ctx context.Context) error {
	err := c.Kill(ctx)
	c.Close()
	if err == nil {
		err = os.RemoveAll(c.dir)
	}
	if err != nil {
		return fmt.Errorf("remove cluster %s: %w", c.ID(), err)
	}
	return nil
}

// Close implements Cluster.
func (c *ownCluster) Close() {
	if c.lease != nil {
		_ = c.lease.Close()
	}
}

// bootWriter reads what a cluster prints as it boots.
type bootWriter struct {
	tell  func(stage string)
	ready chan struct{}
	mu    sync.Mutex
	rest  []byte
	lines []string
}

// mostLines is the number of lines of a boot that an error shows.
const mostLines = 12

func (w *bootWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, after, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		w.rest = after
		text := string(line)
		w.lines = append(w.lines, text)
		w.lines = w.lines[max(0, len(w.lines)-mostLines):]
		if stage, is := strings.CutPrefix(text, slurm.StageLine); is {
			w.tell(stage)
		}
		if text == slurm.ReadyLine {
			close(w.ready)
		}
	}
}

// last are the last lines.
func (w *bootWriter) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}
