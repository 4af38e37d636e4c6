package external

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
)

// keep is the virtual time for which the script of a job that has ended is kept. A slurmctld that was killed forgets
// what it did since it saved its state, which it does every five seconds (SAVE_MAX_WAIT in
// src/slurmctld/state_save.c). So it may want the job to run again.
const keep = time.Minute

// left is a kept script that is not removed before an instant.
type left struct {
	script string
	until  time.Time
}

// scriptName reads what job_submit.lua wrote, "" if it is not there.
func scriptName(comment string) string {
	for _, word := range strings.Fields(comment) {
		if name, found := strings.CutPrefix(word, "script="); found {
			return filepath.Base(name)
		}
	}
	return ""
}

// leave has a kept script removed later.
func (r *Runner) leave(name string) {
	if name != "" {
		r.over = append(r.over, left{name, r.Clock.Now().Add(keep)})
	}
}

// discard removes the kept scripts that nobody can need any more.
func (r *Runner) discard(now time.Time) error {
	for ; len(r.over) > 0 && r.over[0].until.Before(now); r.over = r.over[1:] {
		for _, suffix := range []string{"", scripts.SubmissionSuffix} {
			if err := os.Remove(filepath.Join(r.Scripts, r.over[0].script+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove script: %w", err)
			}
		}
	}
	return nil
}
