package fairshare

import (
	"math"
	"time"
)

// Ledger is the decayed usage of each account. It is not safe for concurrent use.
type Ledger struct {
	halfLife time.Duration
	now      time.Duration
	usage    map[string]float64
	running  map[string]int
}

// NewLedger returns a ledger without usage at time 0. Usage loses half of its
// weight in halfLife, which is above 0.
func NewLedger(halfLife time.Duration) *Ledger {
	return &Ledger{halfLife: halfLife, usage: map[string]float64{}}
}

// Advance charges the cores that were running since the last call, and notes
// those that run from now on, by account. Time does not go back.
func (l *Ledger) Advance(now time.Duration, running map[string]int) {
	decay := math.Exp2(-float64(now-l.now) / float64(l.halfLife))
	for account := range l.usage {
		l.usage[account] *= decay
	}
	// The integral of 2^(-t/halfLife) over the time since.
	weight := (1 - decay) * l.halfLife.Seconds() / math.Ln2
	for account, cores := range l.running {
		l.usage[account] += weight * float64(cores)
	}
	l.now, l.running = now, running
}

// Usage is the decayed usage of an account in core-seconds.
func (l *Ledger) Usage(account string) float64 { return l.usage[account] }

// Shares are the normalised shares of accounts: parts of the machine, in (0,1].
type Shares map[string]float64

// factor is 2^(-usage/share), both normalised (fair_share_factor of classic fair
// share, _get_fairshare_priority in src/plugins/priority/multifactor). An account
// without a share counts as one with the least.
func factor(usage, all float64, share float64) float64 {
	if usage == 0 {
		return 1
	}
	return math.Exp2(-usage / all / share)
}

// Order returns at most limit of the jobs, given by their accounts in queue order
// and by what each would use (core-seconds, 0 allowed), as indices. The next job
// is always the first one of the account with the largest factor, counted as if
// all jobs before it had used what they ask for: else a flood of jobs of one
// account would fill the window alone. Accounts with equal factors take the order
// of the queue.
func (l *Ledger) Order(shares Shares, accounts []string, demand []float64, limit int) []int {
	queues := map[string][]int{}
	for i, a := range accounts {
		queues[a] = append(queues[a], i)
	}
	usage, all := map[string]float64{}, l.total()
	for a := range queues {
		usage[a] = l.usage[a]
	}
	var order []int
	for len(order) < limit && len(queues) > 0 {
		best, highest := "", -1.0
		for a, q := range queues {
			f := factor(usage[a], all, shares.of(a))
			if f > highest || f == highest && q[0] < queues[best][0] {
				best, highest = a, f
			}
		}
		first := queues[best][0]
		order = append(order, first)
		usage[best] += demand[first]
		all += demand[first]
		if queues[best] = queues[best][1:]; len(queues[best]) == 0 {
			delete(queues, best)
		}
	}
	return order
}

// Factor is how far an account is from its share: 1 for one without usage, 1/2
// for one that used exactly its share of all usage, less above, never 0.
func (l *Ledger) Factor(shares Shares, account string) float64 {
	return max(factor(l.usage[account], l.total(), shares.of(account)), math.SmallestNonzeroFloat32)
}

func (l *Ledger) total() float64 {
	sum := 0.0
	for _, u := range l.usage {
		sum += u
	}
	return sum
}

// of is the share of an account. One that Slurm does not list, as in a cluster
// without associations, has as much as each other one.
func (s Shares) of(account string) float64 {
	if share, known := s[account]; known {
		return share
	}
	return 1 / float64(len(s)+1)
}
