package external

import "sync"

// News hands starts and ends of jobs to a Runner.
type News struct {
	mu    sync.Mutex
	items []item
	// bell holds one token while there are items.
	bell chan struct{}
}

type item struct {
	id    int
	ended bool
	// restarted is news of slurmctld, not of a job.
	restarted bool
}

// NewNews returns news without any.
func NewNews() *News { return &News{bell: make(chan struct{}, 1)} }

// Started says that a job has started.
func (n *News) Started(id int) { n.add(item{id: id}) }

// Ended says that a job has ended.
func (n *News) Ended(id int) { n.add(item{id: id, ended: true}) }

// Restarted says that slurmctld was killed and serves again: it may have forgotten
// starts and ends.
func (n *News) Restarted() { n.add(item{restarted: true}) }

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
