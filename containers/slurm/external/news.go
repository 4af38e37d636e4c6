package external

import "sync"

// News hands what happens to jobs and their scripts to a Runner.
type News struct {
	mu    sync.Mutex
	items []item
	// bell holds one token while there are items.
	bell chan struct{}
}

type item struct {
	id   int
	what event
}

type event int

const (
	started event = iota
	ended
	changed
	exited
	unreachable
	refused
	// restarted is news of slurmctld, not of a job, as unreachable and refused are.
	restarted
)

// NewNews returns news without any.
func NewNews() *News { return &News{bell: make(chan struct{}, 1)} }

// Started says that a job has started.
func (n *News) Started(id int) { n.add(item{id, started}) }

// Ended says that a job has ended.
func (n *News) Ended(id int) { n.add(item{id, ended}) }

// Changed says that a job was suspended or resumed.
func (n *News) Changed(id int) { n.add(item{id, changed}) }

// Exited says that the script of a job has ended.
func (n *News) Exited(id int) { n.add(item{id, exited}) }

// Unreachable says that slurmctld could not reach a node.
func (n *News) Unreachable() { n.add(item{what: unreachable}) }

// Refused says that slurmctld refused a submission.
func (n *News) Refused() { n.add(item{what: refused}) }

// Restarted says that slurmctld was killed and serves again: it may have forgotten
// starts and ends.
func (n *News) Restarted() { n.add(item{what: restarted}) }

func (n *News) add(i item) {
	n.mu.Lock()
	n.items = append(n.items, i)
	n.mu.Unlock()
	select {
	case n.bell <- struct{}{}:
	default:
	}
}

// take returns the items since the last call.
func (n *News) take() []item {
	n.mu.Lock()
	defer n.mu.Unlock()
	items := n.items
	n.items = nil
	return items
}
