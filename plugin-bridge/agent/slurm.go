package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Commander carries out one scontrol command; a *slurmctl.RefusedError is
// Slurm's refusal.
type Commander interface {
	Do(ctx context.Context, command string) error
}

// Reader reads Slurm's state: a *channel.Reader, or a *slurmctl.Client where one
// question costs little or hardly any are asked.
type Reader interface {
	Queue(ctx context.Context) ([]slurmctl.QueuedJob, error)
	Nodes(ctx context.Context) ([]slurmctl.NodeRecord, error)
	JobDetails(ctx context.Context, ids ...int) ([]slurmctl.JobDetail, error)
	Licences(ctx context.Context) ([]slurmctl.LicenceRecord, error)
	Reservations(ctx context.Context) ([]slurmctl.Reservation, error)
	Topology(ctx context.Context) ([]slurmctl.Switch, error)
	Charges(ctx context.Context) (map[int]slurmctl.Charge, error)
	Shares(ctx context.Context) (shares, usage map[string]float64, err error)
}

// Slurm is the Cluster that a real slurmctld schedules.
type Slurm struct {
	reader    Reader
	commander Commander
	// names, index and network are the node table and the switches, learned once:
	// neither changes while a cluster runs. index is nil as long as they are in doubt.
	names   []string
	index   map[string]int
	network network
	// nodeLists are the nodes of the last State's running jobs by their lists of names, as
	// most run on from one State to the next.
	nodeLists map[string][]int
	// fair says that State tells accounts and shares; shares are read once, as
	// administrators change them seldom, and with them the usage until then.
	fair          bool
	shares, usage map[string]float64
	// people says that the jobs come from no workload, see ForPeople; misfits are what
	// the last State learned of them.
	people  bool
	misfits misfits
	rules   Rules
	// multifactor says that Slurm has priority/multifactor; released is the number of
	// releases so far.
	multifactor bool
	released    int
	// ordered says that State tells the jobs that wait for Slurm's own scheduler.
	ordered bool
}

// NewSlurm returns the adapter. For speed reading goes through a *channel.Reader, and
// updates go through a *slurmctl.Session.
func NewSlurm(reader Reader, commander Commander) *Slurm {
	return &Slurm{reader: reader, commander: commander}
}

// WithAccounts makes State tell accounts and shares, for fair share. It costs one
// more question a cycle; a share that changes later is not noticed.
func (s *Slurm) WithAccounts() *Slurm {
	s.fair = true
	return s
}

// WithMultifactor makes jobs start in the order of their releases in a cluster with
// priority/multifactor, see nice.
func (s *Slurm) WithMultifactor() *Slurm {
	s.multifactor = true
	return s
}

// WithOrder makes State tell the jobs that wait for Slurm's own scheduler, for a Formula.
func (s *Slurm) WithOrder() *Slurm {
	s.ordered = true
	return s
}

// WithRules sets what the cluster's configuration says of jobs.
func (s *Slurm) WithRules(r Rules) *Slurm {
	s.rules = r
	return s
}

// ForPeople is for jobs that come from no workload: they go by Slurm's job ids,
// whatever their names, and one that not even the idle machine could run has an
// obstacle. The jobs of a workload were checked against the machine before the run; a
// check takes 1 ms on 1408 nodes.
func (s *Slurm) ForPeople() *Slurm {
	s.people = true
	return s
}

// State reads the queue before the nodes. A job that starts in between is pending and
// holds nodes, so that it may be counted twice; in the other order it might not be
// counted at all.
func (s *Slurm) State(ctx context.Context) (State, error) {
	jobs, err := s.reader.Queue(ctx)
	if err != nil {
		return State{}, err
	}
	nodes, err := s.reader.Nodes(ctx)
	if err != nil {
		return State{}, err
	}
	if err = s.learn(ctx, nodes); err != nil {
		return State{}, err
	}
	state := State{
		Nodes:     s.freeNodes(nodes),
		Capped:    map[int]string{},
		Transient: slices.ContainsFunc(nodes, func(n slurmctl.NodeRecord) bool { return !n.Available() }),
	}
	if state.Reservations, err = s.reservations(ctx); err != nil {
		return State{}, err
	}
	licensed := false
	learned, known := misfits{}, map[string][]int{}
	for _, j := range jobs {
		switch {
		case j.Held():
			if j.Dependency != "" && !neverFulfilled(j.Dependency) {
				// slurmctld looks at dependencies some time after the end of
				// the job that they name.
				state.Transient = true
				continue
			}
			h := s.held(j, nodes, state, learned)
			licensed = licensed || len(h.Request.Options.Licences) > 0
			// Slurm's priority of a held job is 0. Queue's order is that of
			// submission.
			state.Held = append(state.Held, h)
		case j.State == slurmctl.JobPending:
			state.Pending = append(state.Pending, j.ID)
			if slurmctl.IsLimit(j.Reason) {
				state.Capped[j.ID] = j.Reason
			}
			if s.ordered {
				state.Waiting = append(state.Waiting, WaitingJob{s.held(j, nodes, state, learned), j.Priority})
			}
		case j.State != slurmctl.JobRunning:
			state.Transient = true
		default:
			nodesOf, seen := s.nodeLists[j.NodeList]
			if !seen {
				if nodesOf, err = indices(j.NodeList, s.index); err != nil {
					return State{}, fmt.Errorf("job %d runs on %q: %w", j.ID, j.NodeList, err)
				}
			}
			known[j.NodeList] = nodesOf
			r := runningJob(j, slices.Sorted(slices.Values(nodesOf)))
			if s.people {
				r.Job = r.ID
			}
			state.Running = append(state.Running, r)
		}
	}
	s.misfits, s.nodeLists = learned, known
	var charges map[int]slurmctl.Charge
	if s.fair || s.rules.limits() {
		if charges, err = s.reader.Charges(ctx); err != nil {
			return State{}, err
		}
	}
	if s.fair {
		if err := s.account(ctx, jobs, charges, &state); err != nil {
			return State{}, err
		}
	}
	if licensed {
		licences, err := s.reader.Licences(ctx)
		if err != nil {
			return State{}, err
		}
		for _, l := range licences {
			state.Licences = append(state.Licences, machine.Licence{Name: l.Name, Count: l.Free})
		}
	}
	s.rules.limit(&state, charges)
	return state, nil
}

// reservations reads Slurm's reservations.
func (s *Slurm) reservations(ctx context.Context) ([]NodeReservation, error) {
	told, err := s.reader.Reservations(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]NodeReservation, len(told))
	for i, r := range told {
		all[i].Reservation = r
		if all[i].Nodes, err = indices(r.NodeList, s.index); err != nil {
			return nil, fmt.Errorf("reservation %s: %w", r.Name, err)
		}
	}
	return all, nil
}

// held reads a held job, and adds to learned what is found out about its request.
func (s *Slurm) held(j slurmctl.QueuedJob, nodes []slurmctl.NodeRecord, state State, learned misfits) HeldJob {
	h := heldJob(j, s.index)
	s.rules.apply(&h)
	h.Obstacle = cmp.Or(h.Obstacle, s.network.obstacle(h.Request), memoryObstacle(h.Request, nodes),
		typeObstacle(h.Request, nodes), reservationObstacle(h, state.Reservations))
	if s.people {
		h.Job = h.ID
	}
	if s.people && h.Obstacle == "" {
		learned.keepFits(&h, state.Nodes, s.misfits)
	}
	return h
}

// learn keeps what does not change: the names of the nodes, and their switches. An answer with other nodes than
// before is an error, as jobs would go to the wrong nodes. It was cut short, or it or the one before was garbled.
// Then learn takes the next answer, if it is not shorter.
func (s *Slurm) learn(ctx context.Context, nodes []slurmctl.NodeRecord) error {
	switch {
	case len(nodes) < len(s.names):
		return fmt.Errorf("slurm shows %d nodes, and %d before", len(nodes), len(s.names))
	case s.index != nil && slices.EqualFunc(nodes, s.names, func(n slurmctl.NodeRecord, name string) bool { return n.Name == name }):
		return nil
	case s.index != nil:
		s.index = nil
		return fmt.Errorf("slurm shows other nodes than before: %d, and %d before", len(nodes), len(s.names))
	}
	names, index := make([]string, len(nodes)), make(map[string]int, len(nodes))
	for i, n := range nodes {
		names[i], index[n.Name] = n.Name, i
	}
	switches, err := s.reader.Topology(ctx)
	if err != nil {
		return err
	}
	if s.network, err = newNetwork(switches, index); err != nil {
		return err
	}
	s.names, s.index, s.nodeLists = names, index, nil
	return nil
}

func (s *Slurm) freeNodes(nodes []slurmctl.NodeRecord) []machine.Node {
	free := make([]machine.Node, len(nodes))
	weighted := slices.ContainsFunc(nodes, func(n slurmctl.NodeRecord) bool { return n.Weight != nodes[0].Weight })
	for i, n := range nodes {
		free[i] = machine.Node{
			Name: n.Name, Cores: n.CPUs, GPUs: n.GPUs, GPUType: n.GPUType, Memory: n.Memory,
			Features: n.Features, Partitions: n.Partitions,
		}
		if weighted {
			free[i].Weight = n.Weight
		}
		if s.network.above != nil {
			free[i].Switches = s.network.above[i]
		}
		if n.Available() {
			free[i].FreeMemory = max(0, n.Memory-n.AllocMemory)
			free[i].FreeCores = n.CPUs - n.AllocCPUs
			free[i].FreeGPUs = n.GPUs - n.AllocGPUs
		}
	}
	return free
}

// Allocated reads what Slurm allocated, also to jobs that have ended.
func (s *Slurm) Allocated(ctx context.Context, ids []int) (map[int]Allocated, error) {
	details, err := s.reader.JobDetails(ctx, ids...)
	var refused *slurmctl.RefusedError
	if errors.As(err, &refused) {
		// slurmctld has forgotten the only job that was asked for.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	allocated := make(map[int]Allocated, len(details))
	for _, d := range details {
		p := Allocated{GPUs: d.AllocGPUs, Pending: d.State == slurmctl.JobPending}
		for _, a := range d.Allocations {
			i, known := s.index[a.Node]
			if !known {
				return nil, fmt.Errorf("job %d runs on node %s, which is not in the node table", d.ID, a.Node)
			}
			p.Nodes = append(p.Nodes, i)
			p.Cores = append(p.Cores, a.Cores)
		}
		allocated[d.ID] = p
	}
	return allocated, nil
}

// Release updates the job with its node list and releases it. Jobs start in the
// order of their release.
func (s *Slurm) Release(ctx context.Context, id int, p Plan) error {
	placement := slurmctl.JobUpdate{
		JobID: id, Tasks: p.Tasks, TasksPerNode: p.TasksPerNode, GPUsPerNode: p.GPUs, Partition: p.Partition,
		Nodes: make([]string, len(p.Nodes)),
	}
	if s.multifactor {
		placement.Nice = nice(s.released)
		s.released++
	}
	if p.TasksPerNode == 0 {
		placement.MinCPUsNode = max(1, p.MinCores)
	}
	for i, n := range p.Nodes {
		placement.Nodes[i] = s.names[n]
	}
	if err := placement.Validate(); err != nil {
		return err
	}
	for _, command := range slurmctl.UpdateCommands(placement) {
		if err := s.commander.Do(ctx, command); err != nil {
			return err
		}
	}
	faultpoint.At(faultpoint.Release)
	return s.commander.Do(ctx, slurmctl.ReleaseCommand(id))
}

// Rank sets a job's priority, which Slurm does not do for a held job (update_job in src/slurmctld/job_mgr.c): that one is released
// before.
func (s *Slurm) Rank(ctx context.Context, id, priority int, held bool) error {
	commands := []string{slurmctl.AnnounceCommand(id), slurmctl.PriorityCommand(id, priority)}
	if held {
		commands = append([]string{slurmctl.AnnounceCommand(id), slurmctl.ReleaseCommand(id)}, commands...)
	}
	for _, command := range commands {
		if err := s.commander.Do(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

// Hold takes the job out of the queue. Slurm also accepts this for a job that
// has started meanwhile and runs on, so the job is looked at again.
func (s *Slurm) Hold(ctx context.Context, id int) error {
	for _, command := range []string{slurmctl.AnnounceCommand(id), slurmctl.HoldCommand(id)} {
		if err := s.commander.Do(ctx, command); err != nil {
			return err
		}
	}
	details, err := s.reader.JobDetails(ctx, id)
	if err != nil {
		return err
	}
	if len(details) != 1 || !details[0].Held() {
		return &slurmctl.RefusedError{Command: slurmctl.HoldCommand(id), Message: "the job has started"}
	}
	return nil
}
