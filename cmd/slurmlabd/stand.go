package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
)

// stand is how the agent of a run stands, for who looks at the run.
type stand struct {
	clock    clock.Clock
	hindered func() trace.Hindered

	mu    sync.Mutex
	agent watch.Agent
	news  bool
}

// learn takes a cycle into account. It is called where the agent may be asked.
func (s *stand) learn(c trace.Cycle) {
	hindered := s.hindered()
	now := watch.Moment{Real: time.Now(), Virtual: s.clock.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Error == "" {
		s.agent.Learn(c, now)
	} else {
		s.agent.Fail(c.Cycle, errors.New(c.Error), now)
	}
	s.agent.Obstacles, s.agent.HeldByOwner = hindered.Obstacles, hindered.ByOwner
	s.news = true
}

// standInterval is the real time between two writings of how the agent stands. A run has
// hundreds of cycles in it, and each writing is time that the clock charges.
const standInterval = time.Second

// keep leaves what is new where watchers look for it, until ctx ends.
func (s *stand) keep(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(standInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		s.mu.Lock()
		agent, news := s.agent, s.news
		s.news = false
		s.mu.Unlock()
		if !news {
			continue
		}
		if err := saveAgent(boot.AgentPath, agent); err != nil {
			log.Error("state of the agent not recorded", "error", err)
			return
		}
	}
}
