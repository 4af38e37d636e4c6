package priority_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// PriorityDecayHalfLife of slurm.conf(5): what was used counts half after it.
func TestUsageDecays(t *testing.T) {
	l := priority.NewLedger(time.Hour)
	l.Advance(0, map[string]int{"a": 8})
	l.Advance(time.Second, nil)
	used := l.Usage("a")
	if math.Abs(used-8) > 0.001 {
		t.Errorf("8 cores in a second used %g core-seconds", used)
	}
	l.Advance(time.Second+time.Hour, nil)
	if !near(l.Usage("a"), used/2) {
		t.Errorf("after the half-life %g of %g is left", l.Usage("a"), used)
	}
}

// The classic fair share of Slurm, F = 2^(-usage/share): 1/2 for exactly one's
// share, 1/4 for twice of it, 1 for nothing.
func TestFactor(t *testing.T) {
	l := priority.NewLedger(time.Hour)
	shares := priority.Shares{"a": 0.5, "b": 0.25, "c": 0.25}
	if f := l.Factor(shares, "a"); f != 1 {
		t.Errorf("without any usage: %g", f)
	}
	l.Advance(0, map[string]int{"a": 10, "b": 10})
	l.Advance(time.Minute, nil)
	for account, want := range map[string]float64{"a": 0.5, "b": 0.25, "c": 1, "stranger": 1} {
		if f := l.Factor(shares, account); !near(f, want) {
			t.Errorf("%s: got %g, want %g", account, f, want)
		}
	}
}

// What was used before the first jobs counts like what they use, and decays.
func TestUsageBeforeTheFirstJob(t *testing.T) {
	l := priority.NewLedger(time.Hour)
	l.Add(map[string]float64{"a": 3000, "b": 1000})
	l.Advance(time.Hour, nil)
	shares := priority.Shares{"a": 0.5, "b": 0.5}
	if !near(l.Usage("a"), 1500) || !near(l.Factor(shares, "b"), math.Exp2(-0.5)) {
		t.Errorf("a used %g, the factor of b is %g", l.Usage("a"), l.Factor(shares, "b"))
	}
	if got := l.Order(shares, []string{"a", "b"}, []float64{1, 1}, 1); !slices.Equal(got, []int{1}) {
		t.Errorf("first is %v, want the job of b", got)
	}
}

// What is charged does not depend on how often the ledger is asked.
func TestStepsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		running := map[string]int{"a": rapid.IntRange(0, 1000).Draw(t, "a"), "b": 3}
		end := time.Duration(rapid.IntRange(1, 100000).Draw(t, "end")) * time.Second
		middle := time.Duration(rapid.Float64Range(0, 1).Draw(t, "middle") * float64(end))
		one, two := priority.NewLedger(time.Hour), priority.NewLedger(time.Hour)
		one.Advance(0, running)
		one.Advance(end, nil)
		two.Advance(0, running)
		two.Advance(middle, running)
		two.Advance(end, nil)
		for account := range running {
			if !near(one.Usage(account), two.Usage(account)) {
				t.Fatalf("%s: %g in one step, %g in two", account, one.Usage(account), two.Usage(account))
			}
		}
	})
}

func TestOrder(t *testing.T) {
	shares := priority.Shares{"a": 0.5, "b": 0.5}
	for _, c := range []struct {
		name     string
		used     map[string]int
		accounts []string
		demand   []float64
		limit    int
		want     []int
	}{
		{"a flood does not fill the window", nil, []string{"a", "a", "a", "a", "b", "b"}, []float64{9, 9, 9, 9, 9, 9}, 4, []int{0, 4, 1, 5}},
		{"who used more waits", map[string]int{"a": 8}, []string{"a", "b", "b"}, []float64{1, 1, 1}, 3, []int{1, 2, 0}},
		{"large requests count more", nil, []string{"a", "a", "b", "b", "b"}, []float64{30, 1, 10, 10, 10}, 5, []int{0, 2, 3, 4, 1}},
		{"the queue decides between equals", nil, []string{"b", "a"}, []float64{0, 0}, 2, []int{0, 1}},
		{"one account keeps its order", nil, []string{"a", "a", "a"}, []float64{3, 2, 1}, 2, []int{0, 1}},
		{"nobody", nil, nil, nil, 5, nil},
	} {
		l := priority.NewLedger(time.Hour)
		l.Advance(0, c.used)
		l.Advance(time.Minute, nil)
		if got := l.Order(shares, c.accounts, c.demand, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// The order names jobs once, has the window full, and keeps each account's own.
func TestOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "jobs")
		accounts, demand := make([]string, n), make([]float64, n)
		l := priority.NewLedger(time.Hour)
		used := map[string]int{}
		for i := range n {
			accounts[i] = fmt.Sprintf("u%d", rapid.IntRange(0, 4).Draw(t, "account"))
			demand[i] = rapid.Float64Range(0, 1e6).Draw(t, "demand")
			used[accounts[i]] = rapid.IntRange(0, 50).Draw(t, "used")
		}
		l.Advance(0, used)
		l.Advance(time.Hour, nil)
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		order := l.Order(nil, accounts, demand, limit)
		if len(order) != min(limit, n) {
			t.Fatalf("%d of %d jobs in a window of %d", len(order), n, limit)
		}
		last := map[string]int{}
		for _, i := range order {
			if before, known := last[accounts[i]]; known && before >= i {
				t.Fatalf("%v takes job %d of %s after job %d", order, i, accounts[i], before)
			}
			last[accounts[i]] = i
			if f := l.Factor(nil, accounts[i]); !(f > 0 && f <= 1) {
				t.Fatalf("factor %g", f)
			}
		}
	})
}
