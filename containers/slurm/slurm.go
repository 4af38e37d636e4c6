package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/kinds"
	"github.com/slurmlab/slurmlab/faultpoint"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Labels that every container of this module carries.
const (
	// RoleLabel is RoleRun or RoleUp.
	RoleLabel = "org.slurmlab.role"
	// NameLabel is the name a user gave the cluster.
	NameLabel = "org.slurmlab.name"
	// CoreLabel is the number of the processor core that the cluster is
	// confined to, empty for none.
	CoreLabel = "org.slurmlab.core"
	// OwnerLabel says for whom the cluster works, see WithOwner.
	OwnerLabel = "org.slurmlab.owner"
	// VersionLabel is on the image: the slurmlab that built it.
	VersionLabel = "org.slurmlab.version"
	// SlurmLabel is on the image: the version of Slurm in it.
	SlurmLabel = "org.slurmlab.slurm"
	// SourcesLabel is on the image: what its Slurm was made from, one a line. A package
	// that was installed is "package NAME VERSION sha256:SUM", a tarball that was
	// compiled "tarball NAME sha256:SUM".
	SourcesLabel = "org.slurmlab.sources"
)

// Values of RoleLabel.
const (
	// RoleRun is the cluster of one run. It ends with the process that started it.
	RoleRun = "run"
	// RoleUp is a cluster that a user keeps.
	RoleUp = "up"
)

// SpecVariable names the environment variable that carries the conf.Spec as
// JSON to slurmlabd.
const SpecVariable = "SLURMLAB_SPEC"

// StageLine begins the lines by which "slurmlabd boot" tells what it waits for.
const StageLine = "slurmlab: booting "

// ReadyLine is what "slurmlabd boot" prints when the cluster serves.
const ReadyLine = "slurmlab: cluster ready"

// startLimit is the real time from container start to ready. Measured: 2-5 s
// on two cores; the limit leaves room for a loaded machine.
const startLimit = 120 * time.Second

// Container is a running cluster.
type Container struct {
	testcontainers.Container
	docker *client.Client
	// lease is nil for a cluster that outlives this process.
	lease *lease
}

// Option configures the cluster.
type Option func(*settings)

type settings struct {
	spec              conf.Spec
	role, name, owner string
	core              string
	jobs              int
	memory            int64
	// stage is told the stages of the boot.
	stage func(string)
}

// Customize makes Option a testcontainers.ContainerCustomizer; Run applies it.
func (Option) Customize(*testcontainers.GenericContainerRequest) error { return nil }

// WithMachine sets the number of nodes and the cores and GPUs of each node;
// the default is 128 nodes of 8 cores and 2 GPUs.
func WithMachine(nodes, cores, gpus int) Option {
	return func(s *settings) { s.spec.Nodes, s.spec.Cores, s.spec.GPUs = nodes, cores, gpus }
}

// WithLayout sets nodes that differ, and their partitions; that of the zero value changes
// nothing.
func WithLayout(l layout.Layout) Option {
	return func(s *settings) { s.spec.Layout = l }
}

// WithSharing sets how jobs get nodes that others have; the default is not at all.
func WithSharing(sharing conf.Sharing) Option {
	return func(s *settings) { s.spec.Sharing = sharing }
}

// WithSlurm sets the kind of cluster by its name; the default is the first of kinds.All.
// The image must be of that kind.
func WithSlurm(kind string) Option {
	return func(s *settings) { s.spec.Slurm = kind }
}

// WithSwitches connects the nodes by a tree of switches (topology/tree); levels
// are the nodes below a switch of each level, see conf.Spec. The default is a
// flat network.
func WithSwitches(levels ...int) Option {
	return func(s *settings) { s.spec.SwitchLevels = levels }
}

// WithScheduler sets who schedules; the default is sched/backfill as Slurm comes.
func WithScheduler(scheduler conf.Scheduler) Option {
	return func(s *settings) { s.spec.Scheduler = scheduler }
}

// WithAgent sets the policy of the agent that schedules a cluster with an
// external scheduler from its boot on; the default is none.
func WithAgent(policy string) Option {
	return func(s *settings) { s.spec.Agent = policy }
}

// WithPriority sets the order of the queue; the default is priority.Basic.
func WithPriority(p priority.Type) Option {
	return func(s *settings) { s.spec.Priority = p }
}

// WithClock sets the cluster's clock; the default is real time.
func WithClock(c clock.Settings) Option {
	return func(s *settings) { s.spec.Clock = c }
}

// WithCore confines the cluster to one processor core. The jump clock needs
// that to see at once that nothing is runnable; under any clock it gives the
// cluster a computing power that does not depend on the machine's size.
func WithCore(number int) Option {
	return func(s *settings) { s.core = strconv.Itoa(number) }
}

// WithRole sets the RoleLabel; the default is RoleRun.
func WithRole(role string) Option {
	return func(s *settings) { s.role = role }
}

// WithName sets the NameLabel.
func WithName(name string) Option {
	return func(s *settings) { s.name = name }
}

// WithJobs says how many jobs will go through the cluster, by which the limits of its
// container are chosen; the default is as many as slurmctld takes.
func WithJobs(number int) Option {
	return func(s *settings) { s.jobs = number }
}

// WithMemory limits the container to so many bytes of memory, instead of the limit that
// follows from machine and jobs; 0 for that.
func WithMemory(limit int64) Option {
	return func(s *settings) { s.memory = limit }
}

// WithStages has tell called with each stage of the boot as it begins, in order:
// "1/5 database", "2/5 slurmdbd", "3/5 slurmctld", "4/5 slurmd", "5/5 nodes".
func WithStages(tell func(stage string)) Option {
	return func(s *settings) { s.stage = tell }
}

// WithOwner sets the OwnerLabel, by which whoever starts a cluster finds it again;
// the default is none.
func WithOwner(owner string) Option {
	return func(s *settings) { s.owner = owner }
}

// Run starts a cluster from img and waits until it is ready for jobs. A cluster of
// RoleRun ends when this process does.
func Run(ctx context.Context, img string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	s := settings{
		spec: conf.Spec{
			Slurm: kinds.All()[0].Name(), Nodes: 128, Cores: 8, GPUs: 2, Scheduler: conf.Scheduler{Type: conf.Backfill}, Priority: priority.Basic, Clock: clock.Settings{Kind: clock.KindReal},
		},
		role:  RoleRun,
		stage: func(string) {},
		jobs:  conf.MaxJobs,
	}
	for _, o := range opts {
		if apply, ok := o.(Option); ok {
			apply(&s)
		}
	}
	if err := errors.Join(s.spec.Validate(), kinds.Fit(s.spec.Slurm, s.spec.Nodes, !s.spec.Layout.IsZero())); err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	kind, err := kinds.Find(s.spec.Slurm)
	if err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	within := limitsFor(s.spec, kind.Nodes(s.spec), s.jobs)
	if s.memory > 0 {
		within.Memory = s.memory
	}
	spec, err := json.Marshal(s.spec)
	if err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	module := []testcontainers.ContainerCustomizer{
		testcontainers.WithCmd("boot"),
		testcontainers.WithEnv(map[string]string{SpecVariable: string(spec)}), testcontainers.WithEnv(faultpoint.Environment()),
		testcontainers.WithLabels(map[string]string{RoleLabel: s.role, NameLabel: s.name, CoreLabel: s.core, OwnerLabel: s.owner}),
		// Database and state live in memory: they are read back through sacct
		// and must not wait for a disk. slurmd executes job scripts there.
		testcontainers.WithTmpfs(map[string]string{
			"/var/lib/mysql": fmt.Sprintf("rw,size=%d", within.Files), "/var/spool": fmt.Sprintf("rw,exec,size=%d", within.Files),
		}),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
			host.Binds = faultpoint.Binds()
			confine(host, s.core, within)
		}),
		testcontainers.WithWaitStrategyAndDeadline(startLimit, bootLog(s.stage)),
	}
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fmt.Errorf("run slurm: connect to Docker: %w", err)
	}
	c := &Container{docker: docker}
	if s.role == RoleRun {
		c.lease = &lease{docker: docker}
		module = append(module, testcontainers.WithCmdArgs("--leased"), c.lease)
	}
	ctr, runErr := testcontainers.Run(ctx, img, append(module, opts...)...)
	if ctr == nil {
		c.Close()
		return nil, fmt.Errorf("run slurm: %w", runErr)
	}
	c.Container = ctr
	if runErr != nil {
		return c, fmt.Errorf("run slurm: %w", errors.Join(runErr, c.lastWords()))
	}
	return c, nil
}

// Close ends the connections to the engine. A cluster of RoleRun that has not been
// removed ends then, but its container stays.
func (c *Container) Close() {
	if c.lease != nil {
		c.lease.end()
	}
	_ = c.docker.Close()
}

// lastWords returns what the container logged, for a start that failed.
func (c *Container) lastWords() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil
	}
	defer func() { _ = logs.Close() }()
	text, err := io.ReadAll(io.LimitReader(logs, 1<<20))
	if err != nil || len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return errors.New(strings.Join(lines[max(0, len(lines)-12):], "\n"))
}
