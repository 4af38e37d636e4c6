package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/emulator"
)

// progress shows the jobs of all runs in one bar, and beside it the runs that are
// going. Without a terminal it shows nothing; the log has a line per phase then.
type progress struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	runs  []emulator.Progress
	names []string
	jobs  []int
}

func newProgress(s *State, quiet bool, configs ...lab.Config) *progress {
	p := &progress{runs: make([]emulator.Progress, len(configs))}
	total := 0
	for _, c := range configs {
		total += len(c.Jobs)
		p.names, p.jobs = append(p.names, c.Policy.Name), append(p.jobs, len(c.Jobs))
	}
	p.bar = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(s.Stderr),
		progressbar.OptionSetVisibility(s.Terminal && !quiet),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(200*time.Millisecond),
	)
	return p
}

// follow makes the config of run i report to the bar.
func (p *progress) follow(i int, config lab.Config) lab.Config {
	config.Progress = func(now emulator.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.runs[i] = now
		done := 0
		var parts []string
		for k, r := range p.runs {
			done += r.Done
			if r.Submitted > 0 && r.Done < p.jobs[k] {
				parts = append(parts, fmt.Sprintf("%s: %d submitted, %d running, %d done", p.names[k], r.Submitted, r.Running, r.Done))
			}
		}
		p.bar.Describe(strings.Join(parts, " | "))
		// A bar that cannot be drawn is no reason to stop a run.
		_ = p.bar.Set(done)
	}
	return config
}

func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.Exit()
}
