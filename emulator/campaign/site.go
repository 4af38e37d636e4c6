package campaign

import "time"

// Bounds of what a task of a job array is asked for.
const (
	// MostCores is above what a node has.
	MostCores = 1024
	// LeastTime leaves a task, which is told a minute before its end, time to work.
	LeastTime = 2 * time.Minute
)

// readSite reads what a site's Slurm is asked for: on: {slurm: {partition: long}}.
func (f *file) readSite() {
	v, there := f.root.get("on")
	if !there {
		return
	}
	on, good := v.object()
	if !good {
		return
	}
	slurm, there := on.get("slurm")
	on.done()
	if !there {
		v.fail("slurm: missing, want a mapping of what tasks ask for")
		return
	}
	o, good := slurm.object()
	if !good {
		return
	}
	for _, word := range []struct {
		key string
		to  *string
	}{{"account", &f.site.Account}, {"partition", &f.site.Partition}} {
		if v, has := o.get(word.key); has {
			*word.to, _ = v.word()
		}
	}
	if v, has := o.get("time"); has {
		if d, fine := v.duration(); fine && d < LeastTime {
			v.fail("got %s, want at least %s", d, LeastTime)
		} else {
			f.site.Time = d
		}
	}
	for _, number := range []struct {
		key  string
		most uint64
		to   *int
	}{{"cores_per_task", MostCores, &f.site.Cores}, {"runs_per_task", mostRuns, &f.site.RunsPerTask}} {
		if v, has := o.get(number.key); has {
			n, _ := v.whole(1, number.most)
			*number.to = int(n)
		}
	}
	o.done()
}
