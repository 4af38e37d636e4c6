package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// Config describes an in-memory cluster of equal nodes n1..nN.
type Config struct {
	Nodes, Cores, GPUs int
	// Start is the first time of the clock, to the second; a fixed date if
	// zero.
	Start time.Time
	// Completing is how long nodes stay COMPLETING after a job's end. They
	// take no job meanwhile.
	Completing time.Duration
	// Runtime tells how long a job runs. If nil, the number after the first
	// "sleep" of the script counts in seconds, and a job without it runs until
	// its limit.
	Runtime func(name, script string, args []string) time.Duration
	// JobSubmit stands for a job_submit plugin. It sees the GPUs asked for,
	// such as "1-3", and returns what Slurm shall keep. If nil, a range
	// becomes its least number, as with the lab's plugin.
	JobSubmit func(gpus string) (perNode int, adminComment string, hold bool)
	// Mishap tells at the submission of a job what goes wrong with it; nothing does if
	// nil.
	Mishap func(name string) Mishap
	// The cluster itself calls Observe at each start and end of a job, apart from what it prints. Observe must not
	// call the cluster.
	Observe func(Event)
}

// Cluster is a Slurm in memory. It is safe for concurrent use.
type Cluster struct {
	mu      sync.Mutex
	config  Config
	now     time.Time
	nodes   []node
	jobs    []*job // the job with id i has index i-1
	crashed bool
	// accounts are those that sacctmgr added.
	accounts []string
	// nextPriority is given to the next released job: under priority/basic
	// priorities descend.
	nextPriority int
}

type node struct {
	// busy has one entry for each core.
	busy      []bool
	freeCores int
	freeGPUs  int
	// completing counts the ended jobs that still hold the node.
	completing int
	// down and drained take the node out of service.
	down, drained bool
}

type job struct {
	id                    int
	name, account         string
	state                 slurmctl.JobState
	finalState            slurmctl.JobState // after COMPLETING
	reason                string
	priority              int
	submit, eligible      time.Time // eligible is zero until the first release
	begin, start, end     time.Time
	completed             time.Time // when COMPLETING will end
	tasks, cpus           int
	minNodes, maxNodes    int // maxNodes 0: any number
	tasksPerNode, minCPUs int
	gpus                  int
	contiguous            bool
	limit, runtime        time.Duration
	required              []int
	requiredText          string
	allocated             []allocation
	adminComment          string
	after                 []int  // jobs that must have begun
	dependency            string // a further one, KIND:ID
	mishap                Mishap
	released              time.Time // when it first got a priority
	prioritised           time.Time // when it last got one
}

type allocation struct {
	node  int
	cores []int
	gpus  int
}

// firstPriority is the priority that priority/basic gives to the first job; each further
// job gets one less.
const firstPriority = 4294901760

// New returns a cluster with idle nodes.
func New(config Config) *Cluster {
	if config.Start.IsZero() {
		config.Start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	}
	c := &Cluster{config: config, now: config.Start.UTC().Truncate(time.Second), nextPriority: firstPriority}
	c.nodes = make([]node, config.Nodes)
	for i := range c.nodes {
		c.nodes[i] = node{busy: make([]bool, config.Cores), freeCores: config.Cores, freeGPUs: config.GPUs}
	}
	return c
}

// Now returns the cluster's time.
func (c *Cluster) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by whole seconds. In each second jobs end first and
// then released jobs start, as with batch_sched_delay=0.
func (c *Cluster) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for end := c.now.Add(d.Truncate(time.Second)); c.now.Before(end) && !c.crashed; {
		c.now = c.now.Add(time.Second)
		c.tick()
	}
}

// Do runs one scontrol command with the meaning of slurmctl.Session.Do.
func (c *Cluster) Do(ctx context.Context, command string) error {
	client := slurmctl.Client{Runner: c}
	return client.Do(ctx, command)
}

// failure is the standard error of a command that fails.
type failure string

// Error implements error.
func (f failure) Error() string { return string(f) }

// Run implements slurmctl.Runner. A command or option that Cluster does not
// know is an error that is not a *slurmctl.CommandError.
func (c *Cluster) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], context.Cause(ctx))
	}
	out, err := c.dispatch(stdin, argv)
	var refused failure
	if errors.As(err, &refused) {
		return nil, &slurmctl.CommandError{Argv: argv, ExitCode: 1, Stderr: string(refused) + "\n"}
	}
	return []byte(out), err
}

func (c *Cluster) dispatch(stdin []byte, argv []string) (string, error) {
	command := strings.Join(argv, " ")
	if c.crashed && argv[0] != "sacct" && argv[0] != "sacctmgr" {
		return "", failure(argv[0] + ": error: Unable to contact slurm controller (connect failure)")
	}
	switch {
	case argv[0] == "sbatch":
		return c.sbatch(string(stdin), argv[1:])
	case argv[0] == "scancel":
		return "", c.scancel(argv[1:])
	case argv[0] == "squeue":
		return c.squeue(argv[1:])
	case argv[0] == "sacct":
		return c.sacct(argv[1:])
	case command == "sdiag":
		return c.printStatistics(), nil
	case strings.HasPrefix(command, "sacctmgr -i add account "):
		return "", c.addAccounts(strings.Split(argv[4], ","))
	case strings.HasPrefix(command, "sacctmgr -i add user root account="):
		return "", nil
	case command == "sshare -a -P -n -o Account,User,RawShares,RawUsage":
		return c.sshare(), nil
	case command == "sacctmgr ping":
		return "slurmdbd(primary) at localhost is UP\n", nil
	case command == "scontrol ping":
		return "Slurmctld(primary) at localhost is UP\n", nil
	case command == "scontrol -o show node":
		return c.showNodes(), nil
	case command == "scontrol -o show topology":
		return "", nil // the network is flat
	case command == "scontrol -o show reservation":
		return "No reservations in the system\n", nil
	case strings.HasPrefix(command, "scontrol -d -o show job"):
		return c.showJobs(argv[5:])
	case argv[0] == "scontrol" && len(argv) > 3 && argv[1] == "update" && strings.HasPrefix(argv[2], "NodeName="):
		return "", c.updateNodes(strings.TrimPrefix(argv[2], "NodeName="), argv[3:])
	case argv[0] == "scontrol" && len(argv) > 2 && argv[1] == "update":
		return "", c.update(argv[2:])
	case argv[0] == "scontrol" && len(argv) > 2 && (argv[1] == "hold" || argv[1] == "release"):
		for _, id := range argv[2:] {
			if err := c.holdOrRelease(argv[1], id); err != nil {
				return "", err
			}
		}
		return "", nil
	}
	return "", fmt.Errorf("slurmtest: command %q is not supported", command)
}

// find returns a job that may still change, or Slurm's refusal; then the job is
// nil only if it never existed.
func (c *Cluster) find(id string) (*job, error) {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(c.jobs) {
		return nil, failure("Invalid job id specified")
	}
	j := c.jobs[n-1]
	if !j.active() {
		return j, failure("Job has already finished")
	}
	return j, nil
}

// active says whether the job has not ended. A COMPLETING job has ended.
func (j *job) active() bool {
	return slices.Contains([]slurmctl.JobState{slurmctl.JobPending, slurmctl.JobRunning}, j.state)
}

func nodeName(i int) string { return "n" + strconv.Itoa(i+1) }

// addAccounts adds those that are missing, of which there must be one.
func (c *Cluster) addAccounts(names []string) error {
	before := len(c.accounts)
	for _, name := range names {
		if name != "root" && !slices.Contains(c.accounts, name) {
			c.accounts = append(c.accounts, name)
		}
	}
	if len(c.accounts) == before {
		// sacctmgr says so on its standard output.
		return failure("")
	}
	return nil
}
