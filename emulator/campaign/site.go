package campaign

import (
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
)

// Bounds of what a task of a job array is asked for.
const (
	// MostCores is above what a node has.
	MostCores = 1024
	// LeastTime leaves a task, which gets a signal a minute before its end, time to work.
	LeastTime = 2 * time.Minute
)

// readSite reads what a site's Slurm is asked for: on: {slurm: {partition: long}}.
func (f *file) readSite() {
	v := f.keys.On
	var on onKeys
	if !v.There() {
		return
	}
	whole, good := mapping(v, &on)
	if !good {
		return
	}
	whole.Done()
	if !on.Slurm.There() {
		v.Failf("slurm: missing, want a mapping of what tasks ask for")
		return
	}
	var site siteKeys
	o, good := mapping(on.Slurm, &site)
	if !good {
		return
	}
	f.readTasks(site)
	o.Done()
}

// readTasks reads what tasks ask for.
func (f *file) readTasks(site siteKeys) {
	for _, text := range []struct {
		input.Value
		to *string
	}{{site.Account, &f.site.Account}, {site.Partition, &f.site.Partition}} {
		if text.There() {
			*text.to, _ = word(text.Value)
		}
	}
	if site.Time.There() {
		if d, fine := duration(site.Time); fine && d < LeastTime {
			site.Time.Failf("got %s, want at least %s", d, LeastTime)
		} else {
			f.site.Time = d
		}
	}
	for _, number := range []struct {
		input.Value
		most uint64
		to   *int
	}{{site.CoresPerTask, MostCores, &f.site.Cores}, {site.RunsPerTask, mostRuns, &f.site.RunsPerTask}} {
		if number.There() {
			n, _ := whole(number.Value, 1, number.most)
			*number.to = int(n)
		}
	}
}
