package slurm

import (
	"encoding/json"
	"errors"
	"path"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"

	"github.com/testcontainers/testcontainers-go"
)

// Settings are what a cluster is started with, under whatever runtime.
type Settings struct {
	Spec              conf.Spec
	Role, Name, Owner string
	// Core is the number of the processor core, empty for none.
	Core string
	// Host is the address of the Docker engine, empty for the environment's.
	Host    string
	Program Program
	// Checkpoint is the file of the state that the cluster is booted from, empty for none.
	Checkpoint string
	// Stage is called at each stage of the boot.
	Stage func(string)

	jobs   int
	memory int64
	limits limits
}

// Program is a user's program that schedules a cluster; the zero value has none.
type Program struct {
	// File is where this machine has it, Name what it is called in the cluster.
	File, Name string
	// Modules are the texts of modules of Python that it can import, by file name.
	Modules map[string][]byte
}

// Path is where the cluster has it.
func (p Program) Path() string { return path.Join(conf.ProgramDir, p.Name) }

// ModulePath is where the cluster has a module of that file name.
func ModulePath(name string) string { return path.Join(conf.ModuleDir, name) }

// NewSettings checks the settings of a cluster.
func NewSettings(options ...Option) (Settings, error) {
	s := Settings{
		Spec: conf.Spec{
			Form: string(backend.Default().Form), Slurm: backend.Default().Series, Nodes: 128, Cores: 8, GPUs: 2, Scheduler: conf.Scheduler{Type: conf.Backfill}, Priority: priority.Basic, Clock: clock.Settings{Kind: clock.KindReal},
		},
		Role:  RoleRun,
		Stage: func(string) {},
		jobs:  conf.MaxJobs,
	}
	for _, apply := range options {
		apply(&s)
	}
	chosen, err := backend.Of(s.Spec)
	if err = errors.Join(s.Spec.Validate(), err, backend.All().Fit(chosen, s.Spec.Nodes, !s.Spec.Layout.IsZero()),
		backend.All().CheckBlocks(chosen, len(s.Spec.BlockNodes) > 0)); err != nil {
		return s, err
	}
	if !s.Spec.From.IsZero() {
		s.Spec.Clock.Start = s.Spec.From.Add(-boot.ClockLead).Truncate(time.Second)
	}
	s.limits = limitsFor(s.Spec, chosen.Nodes(s.Spec), s.jobs)
	if s.memory > 0 {
		s.limits.Memory = s.memory
	}
	return s, nil
}

// Option configures the cluster.
type Option func(*Settings)

// Customize makes Option a testcontainers.ContainerCustomizer; Run applies it.
func (Option) Customize(*testcontainers.GenericContainerRequest) error { return nil }

// WithMachine sets the number of nodes and the cores and GPUs of each node;
// the default is 128 nodes of 8 cores and 2 GPUs.
func WithMachine(nodes, cores, gpus int) Option {
	return func(s *Settings) { s.Spec.Nodes, s.Spec.Cores, s.Spec.GPUs = nodes, cores, gpus }
}

// WithLayout sets nodes that differ, and their partitions; the zero value changes nothing.
func WithLayout(l layout.Layout) Option {
	return func(s *Settings) { s.Spec.Layout = l }
}

// WithUsers adds Unix users to the layout's. The cluster has them before its daemons start: slurmctld looks a user's id
// up as it reads the user's associations, and again only after an hour (src/common/assoc_mgr.c, assoc_mgr_set_missing_uids).
func WithUsers(names ...string) Option {
	return func(s *Settings) { s.Spec.Users = names }
}

// WithArrayLicenses adds licences to the layout's, also where all nodes are equal.
func WithArrayLicenses(all []layout.License) Option {
	return func(s *Settings) { s.Spec.ArrayLicenses = all }
}

// WithSharing sets how jobs get nodes that others have; the default is not at all.
func WithSharing(sharing conf.Sharing) Option {
	return func(s *Settings) { s.Spec.Sharing = sharing }
}

// WithBackend sets what emulates the cluster; the default is backend.Default. The image must have its Slurm.
func WithBackend(b backend.Backend) Option {
	return func(s *Settings) { s.Spec.Form, s.Spec.Slurm = string(b.Form), b.Series }
}

// WithSwitches connects the nodes by a tree of switches (topology/tree); levels
// are the nodes below a switch of each level, see conf.Spec. The default is a
// flat network.
func WithSwitches(levels ...int) Option {
	return func(s *Settings) { s.Spec.SwitchLevels = levels }
}

// WithSwitchList connects the nodes by these switches, in the place of WithSwitches.
func WithSwitchList(switches []layout.Switch) Option {
	return func(s *Settings) { s.Spec.Switches = switches }
}

// WithBlocks divides the nodes into blocks of so many neighbours (topology/block); sizes are those with which Slurm plans (BlockSizes of
// topology.conf(5)), nil for its default. The default is no blocks.
func WithBlocks(nodes, sizes []int) Option {
	return func(s *Settings) { s.Spec.BlockNodes, s.Spec.BlockSizes = nodes, sizes }
}

// WithScheduler sets who schedules; the default is sched/backfill as Slurm comes.
func WithScheduler(scheduler conf.Scheduler) Option {
	return func(s *Settings) { s.Spec.Scheduler = scheduler }
}

// WithAgent sets the policy of the agent that schedules a cluster with an
// external scheduler from its boot on; the default is none.
func WithAgent(name string, policy json.RawMessage) Option {
	return func(s *Settings) { s.Spec.Agent, s.Spec.AgentPolicy = name, policy }
}

// WithPriority sets the order of the queue; the default is priority.Basic.
func WithPriority(p priority.Type) Option {
	return func(s *Settings) { s.Spec.Priority = p }
}

// WithClock sets the cluster's clock; the default is real time.
func WithClock(c clock.Settings) Option {
	return func(s *Settings) { s.Spec.Clock = c }
}

// WithCore confines the cluster to one processor core. The jump clock needs
// that to see at once that nothing is runnable; under any clock it gives the
// cluster a computing power that does not depend on the machine's size.
func WithCore(number int) Option {
	return func(s *Settings) { s.Core = strconv.Itoa(number) }
}

// WithRole sets the RoleLabel; the default is RoleRun.
func WithRole(role string) Option {
	return func(s *Settings) { s.Role = role }
}

// WithName sets the NameLabel.
func WithName(name string) Option {
	return func(s *Settings) { s.Name = name }
}

// WithJobs says how many jobs will go through the cluster, by which the limits of its
// container are chosen; the default is as many as slurmctld takes.
func WithJobs(number int) Option {
	return func(s *Settings) { s.jobs = number }
}

// WithHost sets the address of the Docker engine, as DOCKER_HOST has it; empty, which is the
// default, is the engine of the environment.
func WithHost(host string) Option {
	return func(s *Settings) { s.Host = host }
}

// WithMemory limits the container to so many bytes of memory, instead of the limit that
// follows from machine and jobs; 0 for that.
func WithMemory(limit int64) Option {
	return func(s *Settings) { s.memory = limit }
}

// WithStages has tell called with each stage of the boot as it begins, in order:
// "1/5 database", "2/5 slurmdbd", "3/5 slurmctld", "4/5 slurmd", "5/5 nodes".
func WithStages(tell func(stage string)) Option {
	return func(s *Settings) { s.Stage = tell }
}

// WithOwner sets the OwnerLabel, by which the process that starts a cluster finds it again; the default is none.
func WithOwner(owner string) Option {
	return func(s *Settings) { s.Owner = owner }
}

// WithProgram puts a program of the user's into the cluster, under the name by which the
// policy calls it, and modules of Python that it can import, by file name.
func WithProgram(file, name string, modules map[string][]byte) Option {
	return func(s *Settings) { s.Program = Program{file, name, modules} }
}

// WithCheckpoint boots the cluster from the state in a file, which a cluster of the same machine
// and kind left at a virtual instant. Its clock must be the jump clock.
func WithCheckpoint(file string, instant time.Time) Option {
	return func(s *Settings) { s.Checkpoint, s.Spec.From = file, instant }
}
