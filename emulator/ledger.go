package emulator

import "sync"

// ledger counts the jobs of a run that were submitted and that ended. A job may
// be reported as ended more than once, as one that Slurm requeued after its
// node failed is, and before sbatch has told its id; and Slurm may have jobs of
// others.
type ledger struct {
	mu    sync.Mutex
	own   map[int]bool
	ended map[int]bool
	done  int
}

func newLedger() *ledger {
	return &ledger{own: map[int]bool{}, ended: map[int]bool{}}
}

func (l *ledger) submit(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own[id] = true
	if l.ended[id] {
		l.done++
	}
}

func (l *ledger) end(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own[id] && !l.ended[id] {
		l.done++
	}
	l.ended[id] = true
}

func (l *ledger) count() (submitted, done int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.own), l.done
}

func (l *ledger) hasEnded(id int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended[id]
}

// owns says whether a job of Slurm is one of the run.
func (l *ledger) owns(id int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.own[id]
}
