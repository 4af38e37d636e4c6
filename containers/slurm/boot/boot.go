package boot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"sync"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/faultpoint"
)

// AgentCommand is the command of this program that schedules by the policy of the Spec until a signal ends it.
const AgentCommand = "schedule"

// Daemons are the processes of a booted cluster, with what others need to find them.
type Daemons struct {
	// State is what was true when Boot returned.
	State   State
	mu      sync.Mutex // of State
	daemons []*daemon
	serving *board
	fatal   map[string]string
	limits  Cgroup
	paths   paths
}

// paths are where the daemons of a cluster leave their files.
type paths struct{ state, logs, down string }

// Boot starts the cluster and returns when it is ready for jobs. On an error
// it stops what it had started. The cluster ends with Stop, or when ctx ends.
// Boot tells each stage as it begins, such as "3/5 slurmctld"; the last one,
// "nodes", is the wait for what makes them ready.
func Boot(ctx context.Context, spec conf.Spec, nodes Nodes, tell func(stage string)) (*Daemons, error) {
	c := &Daemons{State: State{Spec: spec, PID: os.Getpid()}, serving: newBoard(), fatal: nodes.Fatal,
		limits: OwnCgroup(), paths: paths{StatePath, LogDir, DownDir}}
	stops := c.watchStops()
	err := c.boot(ctx, nodes, tell)
	if found := stops(); err == nil && found != nil {
		err = c.update(func(s *State) { s.Stops = found })
	}
	if err != nil {
		c.Stop()
		return nil, fmt.Errorf("boot cluster: %w", c.explained(err))
	}
	return c, nil
}

// stages is the number of stages that a boot tells.
const stages = 5

func (c *Daemons) boot(ctx context.Context, nodes Nodes, tell func(stage string)) error {
	stage := func(number int, name string) { tell(fmt.Sprintf("%d/%d %s", number, stages, name)) }
	stage(1, "database")
	slurm, database, err := accounts(os.Getuid(), user.LookupId, user.Lookup)
	if err != nil {
		return fmt.Errorf("find the users of the daemons: %w", err)
	}
	first := c.State.Spec
	if c.hasAccounts() {
		first.Layout = first.Layout.Unnamed()
	}
	if err = writeFiles(first, nodes.Conf, slurm); err != nil {
		return err
	}
	// Slurm's daemons look a user's id up as they learn of the user.
	if err = AddUsers(PasswdPath, slices.Concat(c.State.Spec.Layout.Users(), c.State.Spec.Users)); err != nil {
		return err
	}
	if c.State.Clock, c.State.Env, err = clock.Start(ctx, c.State.Spec.Clock); err != nil {
		return err
	}
	if page := c.State.Clock.Page; page != "" {
		if err = withhold(page, readOnly); err != nil {
			return err
		}
	}
	cert, key, err := initDatabase(database, c.restored())
	if err != nil {
		return err
	}
	// MariaDB stays on real time: nothing that Slurm stores comes from its
	// clock. It logs to standard error, which start sends to mariadbd.out. With
	// innodb-flush-log-at-trx-commit=2 what was committed outlives the process; with 0 the
	// commits of its last second, which may be many virtual minutes, are lost. Its files are
	// in memory already: a large buffer pool would hold them twice, and grow with the jobs of
	// a run. 12 MiB are full after 2,000 jobs. Temporary tables lie beside them: in /tmp, which
	// is on the container's root, making slurmdbd's tables took half a second longer.
	steps := []step{
		{name: "mariadbd", part: "mariadbd", log: "mariadbd.out", argv: []string{
			"mariadbd", "--user=" + database.Name, "--datadir=" + dataDir, "--socket=" + socket,
			"--skip-networking", "--skip-log-bin", "--tmpdir=" + dataDir, "--ssl-cert=" + cert, "--ssl-key=" + key, "--innodb-flush-log-at-trx-commit=2",
			"--innodb-buffer-pool-size=12M", logFileSize, "--innodb-snapshot-isolation=OFF",
		}, ready: after(written(socket), c.answers("mariadb-admin", "ping"))},
		{name: "slurmdbd", part: "slurmdbd", log: "slurmdbd.log", argv: []string{"slurmdbd", "-D"}, env: c.State.Env,
			ready: after(listening(accountingPort), c.answers("sacctmgr", "-n", "show", "cluster")), needs: "mariadbd"},
		{name: Controller, part: Controller, log: "slurmctld.log", argv: c.controller(), env: c.State.Env,
			// Slurm 26.05 does not start without files such as assoc_usage, which slurmctld writes only when a signal
			// ends it. It replaces its files, so that an existing one is complete.
			ready: after(listening(controllerPort), c.answers("scontrol", "ping")), again: []string{"-i"}},
	}
	for i, s := range steps {
		// Making the database is part of MariaDB's stage.
		if i > 0 {
			stage(i+1, s.name)
		}
		if s.name == Controller && c.restored() {
			if err = c.approach(ctx); err != nil {
				return err
			}
		}
		if s.name == Controller && c.hasAccounts() {
			if err = c.makeAccounts(ctx, s); err != nil {
				return err
			}
			if err = writeConf(c.State.Spec, nodes.Conf, slurm); err != nil {
				return err
			}
		}
		if err = c.run(ctx, s); err != nil {
			return err
		}
	}
	if err = c.checkSettings(ctx); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	kept := c.keepResident(self, nodes.Starts)
	part := nodes.Programs[0].Part
	stage(stages-1, part)
	if err = c.startNodes(ctx, self, nodes); err != nil {
		return err
	}
	stage(stages, "nodes")
	faultpoint.At(faultpoint.Boot)
	if err = c.until(ctx, part, c.skip, c.ready(nodes), c.fault); err != nil {
		return err
	}
	if err = errors.Join(c.makeReservations(ctx), <-kept); err != nil || c.State.Spec.Agent == "" {
		return err
	}
	// Of a cluster that was booted before in the same container: its jobs are gone.
	if err = os.Remove(FlightsPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget jobs in flight: %w", err)
	}
	return c.run(ctx, step{name: "agent", part: "agent", log: "agent.out", argv: []string{self, AgentCommand}, needs: Controller})
}

func writeFiles(spec conf.Spec, nodes conf.Nodes, slurmUser conf.User) error {
	for _, dir := range []string{conf.Dir, LogDir, filepath.Dir(conf.CompletionLog), conf.SpoolDir, DownDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	if err := shut(); err != nil {
		return err
	}
	// What people's jobs have in their environments is their own.
	if err := os.MkdirAll(conf.ScriptDir, 0o700); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	// auth/slurm wants a key of at least 16 bytes that only SlurmUser reads.
	key := make([]byte, 1024)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	return writeConf(spec, nodes, slurmUser, conf.File{Name: "slurm.key", Mode: 0o600, Data: key})
}

// writeConf writes the configuration, and other files beside it.
func writeConf(spec conf.Spec, nodes conf.Nodes, slurmUser conf.User, others ...conf.File) error {
	files, err := conf.Files(spec, nodes, slurmUser)
	if err != nil {
		return err
	}
	for _, f := range append(files, others...) {
		if err := write(filepath.Join(conf.Dir, f.Name), f); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
	}
	return nil
}

func write(path string, f conf.File) error {
	if f.Link == "" {
		if err := os.WriteFile(path, f.Data, os.FileMode(f.Mode)); err != nil {
			return err
		}
		return os.Chmod(path, os.FileMode(f.Mode))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(f.Link, path)
}
