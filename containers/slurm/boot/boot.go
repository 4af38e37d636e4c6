package boot

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// AgentCommand is the command of this program that schedules by a policy, its
// argument, until it is told to end.
const AgentCommand = "schedule"

const (
	confDir = "/etc/slurm"
	dataDir = "/var/lib/mysql"
	socket  = "/run/mysqld/mysqld.sock"
)

// Daemons are the processes of a booted cluster, with what others need to find them.
type Daemons struct {
	State State
	procs []process
}

// process is a started daemon; ended closes when it has been waited for.
type process struct {
	os    *os.Process
	ended chan struct{}
}

// Boot starts the cluster and returns when it is ready for jobs. On an error
// it stops what it had started. The cluster ends with Stop, or when ctx ends.
// Boot tells each stage as it begins, such as "3/5 slurmctld"; the last one,
// "nodes", is the wait for the second registration.
func Boot(ctx context.Context, spec conf.Spec, tell func(stage string)) (*Daemons, error) {
	c := &Daemons{State: State{Spec: spec, PID: os.Getpid()}}
	if err := c.boot(ctx, tell); err != nil {
		c.Stop()
		return nil, fmt.Errorf("boot cluster: %w", err)
	}
	return c, nil
}

// stages is the number of stages that a boot tells.
const stages = 5

func (c *Daemons) boot(ctx context.Context, tell func(stage string)) error {
	stage := func(number int, name string) { tell(fmt.Sprintf("%d/%d %s", number, stages, name)) }
	stage(1, "database")
	if err := writeFiles(c.State.Spec); err != nil {
		return err
	}
	var err error
	if c.State.Clock, c.State.Env, err = clock.Start(ctx, c.State.Spec.Clock); err != nil {
		return err
	}
	cert, key, err := initDatabase(ctx)
	if err != nil {
		return err
	}
	// MariaDB stays on real time: nothing that Slurm stores comes from its
	// clock. It logs to standard error, which start sends to mariadbd.out.
	steps := []struct {
		name, log string
		argv, env []string
		ready     func(context.Context) error
	}{
		{"mariadbd", "mariadbd.out", []string{
			"mariadbd", "--user=mysql", "--datadir=" + dataDir, "--socket=" + socket,
			"--skip-networking", "--skip-log-bin", "--ssl-cert=" + cert, "--ssl-key=" + key, "--innodb-flush-log-at-trx-commit=0",
			"--innodb-buffer-pool-size=64M",
		}, nil, c.answers("mariadb-admin", "ping")},
		{"slurmdbd", "slurmdbd.log", []string{"slurmdbd", "-D"}, c.State.Env,
			c.answers("sacctmgr", "-n", "show", "cluster")},
		{"slurmctld", "slurmctld.log", []string{"slurmctld", "-D"}, c.State.Env,
			c.answers("scontrol", "ping")},
		{"slurmd", "slurmd.log", []string{"slurmd", "-D", "-N", "fe0"}, c.State.Env, c.idle},
	}
	for i, s := range steps {
		// Making the database is part of MariaDB's stage.
		if i > 0 {
			stage(i+1, s.name)
		}
		if err = c.start(s.name, s.log, s.argv, s.env); err != nil {
			return err
		}
		if err = c.await(ctx, s.name, s.ready); err != nil {
			return err
		}
	}
	stage(stages, "nodes")
	if err = c.await(ctx, "slurmd", c.registered); err != nil {
		return err
	}
	if err = c.State.save(StatePath); err != nil || c.State.Spec.Agent == "" {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	// The agent reads the state when it starts, so the state is saved before; and
	// again after, as the agent is one of the daemons.
	if err = c.start("agent", "agent.out", []string{self, AgentCommand, c.State.Spec.Agent}, nil); err != nil {
		return err
	}
	return c.State.save(StatePath)
}

func writeFiles(spec conf.Spec) error {
	for _, dir := range []string{confDir, LogDir, filepath.Dir(socket), filepath.Dir(conf.CompletionLog), conf.SpoolDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	files, err := conf.Files(spec)
	if err != nil {
		return err
	}
	// auth/slurm wants a key of at least 16 bytes that only SlurmUser reads.
	key := make([]byte, 1024)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	files = append(files, conf.File{Name: "slurm.key", Mode: 0o600, Data: key})
	for _, f := range files {
		path := filepath.Join(confDir, f.Name)
		if err := os.WriteFile(path, f.Data, os.FileMode(f.Mode)); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
		if err := os.Chmod(path, os.FileMode(f.Mode)); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
	}
	return nil
}

// initDatabase makes MariaDB's directories and returns its certificate and key.
func initDatabase(ctx context.Context) (cert, key string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("initialise database: %w", err)
		}
	}()
	owner, err := user.Lookup("mysql")
	if err != nil {
		return "", "", err
	}
	uid, err := strconv.Atoi(owner.Uid)
	if err != nil {
		return "", "", fmt.Errorf("uid of mysql: %w", err)
	}
	for _, dir := range []string{filepath.Dir(socket), dataDir} {
		if err := os.Chown(dir, uid, -1); err != nil {
			return "", "", err
		}
	}
	cmd := exec.CommandContext(ctx, "mariadb-install-db", "--user=mysql", "--datadir="+dataDir,
		"--skip-test-db", "--auth-root-authentication-method=normal")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("%w: %s", err, out)
	}
	return certificate(filepath.Dir(socket), uid)
}

func (c *Daemons) start(name, log string, argv, env []string) error {
	out, err := os.OpenFile(filepath.Join(LogDir, name+".out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	// Its own session, so that a terminal's Ctrl-C does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if startErr := cmd.Start(); startErr != nil {
		return fmt.Errorf("start %s: %w", name, startErr)
	}
	p := process{os: cmd.Process, ended: make(chan struct{})}
	running := c.State.Clock
	go func() {
		recordEnd(name, running, cmd.Wait())
		close(p.ended)
	}()
	c.procs = append(c.procs, p)
	started, _, err := processStart(cmd.Process.Pid)
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	c.State.Daemons = append(c.State.Daemons, Daemon{Name: name, PID: cmd.Process.Pid, Started: started, Log: filepath.Join(LogDir, log)})
	return nil
}

// stopLimit is how long daemons may take to end by themselves.
const stopLimit = 2 * time.Second

// Stop ends all daemons, last started first.
func (c *Daemons) Stop() {
	for i := len(c.procs) - 1; i >= 0; i-- {
		_ = c.procs[i].os.Signal(syscall.SIGTERM)
	}
	deadline := time.After(stopLimit)
	for _, p := range c.procs {
		select {
		case <-p.ended:
		case <-deadline:
			for _, q := range c.procs {
				_ = q.os.Kill()
			}
			<-p.ended
		}
	}
	_ = os.Remove(StatePath)
}
