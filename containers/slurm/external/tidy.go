package external

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
)

// tidyLater has the kept scripts looked through that no job has: Slurm may refuse a job
// after job_submit.lua has kept its script, and forget one that it took.
func (r *Runner) tidyLater() {
	if r.tidyAt.IsZero() {
		r.tidyAt = r.Clock.Now().Add(keep)
	}
}

// tidy removes the kept scripts of no job. Younger ones than keep may be those of jobs that
// Slurm is about to take; it looks again for these.
func (r *Runner) tidy(ctx context.Context, now time.Time) error {
	if r.tidyAt.IsZero() || r.tidyAt.After(now) {
		return nil
	}
	r.tidyAt = time.Time{}
	entries, err := os.ReadDir(r.Scripts)
	if err != nil {
		return fmt.Errorf("look through scripts: %w", err)
	}
	strange := map[string]time.Time{}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), scripts.SubmissionSuffix)
		if at, ok := keptAt(name); ok && !r.needs(name) {
			strange[name] = at
		}
	}
	if len(strange) == 0 {
		return nil
	}
	comments, err := r.Comments(ctx)
	if err != nil {
		r.Log.Error("scripts of no job are not removed yet", "again after", keep, "error", err)
		r.tidyLater()
		return nil
	}
	for _, comment := range comments {
		delete(strange, scriptName(comment))
	}
	for name, at := range strange {
		if now.Sub(at) < keep {
			r.tidyLater()
			continue
		}
		r.over = slices.Insert(r.over, 0, left{script: name})
	}
	return r.discard(now)
}

// needs says that a script belongs to a job that runs, or has ended a moment ago.
func (r *Runner) needs(name string) bool {
	for _, s := range r.live {
		if s.name == name {
			return true
		}
	}
	return slices.ContainsFunc(r.due, func(e end) bool { return e.script == name }) ||
		slices.ContainsFunc(r.over, func(l left) bool { return l.script == name })
}

// keptAt reads the second at which job_submit.lua kept a script out of its name,
// "SECONDS-NUMBER".
func keptAt(name string) (at time.Time, ok bool) {
	seconds, _, found := strings.Cut(filepath.Base(name), "-")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0), found && err == nil
}
