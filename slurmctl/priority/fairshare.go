package priority

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

// Add charges core-seconds that were used until now, by account.
func (l *Ledger) Add(usage map[string]float64) {
	for account, used := range usage {
		l.usage[account] += used
	}
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

// factor is 2^(-usage/share), where usage counts as a part of the usage of all
// accounts (fair_share_factor of classic fair share, _get_fairshare_priority in
// src/plugins/priority/multifactor).
func factor(usage, all float64, share float64) float64 {
	if usage == 0 {
		return 1
	}
	return math.Exp2(-usage / all / share)
}

// Order returns the jobs in the order of fair share, at most limit of them, as
// indices. Jobs are given in the order of the queue, each by its account and by what
// it would use in core-seconds, which may be 0.
//
// The next job is always the first one of the account with the largest factor. The
// factors count the jobs that are chosen already as if they had used what they ask
// for; otherwise a hundred jobs of one account would fill the window alone. Between
// accounts with equal factors the order of the queue decides.
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

// Factor is how far an account is from its share, in (0,1]. It is 1 for an account without usage, 1/2 for one that
// used exactly its share of all usage, and less for one that used more.
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

// of is the share of an account. An account that Slurm does not list, as in a cluster
// without associations, has as much as if all accounts had equal shares.
func (s Shares) of(account string) float64 {
	if share, known := s[account]; known {
		return share
	}
	return 1 / float64(len(s)+1)
}
