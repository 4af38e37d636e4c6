package campaign

import (
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/results/trace"
)

// readBackends reads the keys backend and slurm.
func (f *file) readBackends(from Sources) {
	if f.former {
		f.readFormerBackends()
	} else {
		f.selectBackends()
	}
	for _, b := range f.backends {
		if from.Backend != nil {
			b.fail(from.Backend(b.value))
		}
		if f.events != nil {
			b.fail(backend.All().CheckEvents(b.value))
		}
	}
}

// fail notes an error as a fault of the value, nil as none.
func (n named[T]) fail(err error) {
	if err != nil {
		n.Failf("%w", err)
	}
}

// selectBackends reads what the keys say today.
func (f *file) selectBackends() {
	entries := map[string]input.Value{}
	read := func(v input.Value, check func(word string) error) (all []string, good bool) {
		if !v.There() {
			return nil, true
		}
		for _, one := range list(v) {
			text, is := word(one)
			if !is {
				continue
			}
			if err := check(text); err != nil {
				one.Failf("%w", err)
				continue
			}
			if _, twice := entries[text]; twice {
				one.Failf("%q is there already", text)
				continue
			}
			entries[text], all = one, append(all, text)
		}
		return all, len(all) > 0
	}
	needs := backend.Needs{Events: f.events != nil}
	for _, m := range f.machines {
		needs.Nodes, needs.Groups = max(needs.Nodes, m.value.Nodes), needs.Groups || m.value.Unequal()
	}
	// An empty word asks for nothing on the command line. In a file it is a fault.
	forms, goodForms := read(f.keys.Backend, func(word string) error { return backend.All().CheckForm(word) })
	series, goodSeries := read(f.keys.Slurm, func(word string) error { return backend.All().CheckSeries(word) })
	if !goodForms || !goodSeries {
		return
	}
	chosen, notes, err := backend.All().Select(forms, series, needs)
	if err != nil {
		f.keys.Slurm.FailAll(err)
	}
	f.notes = append(f.notes, notes...)
	for _, b := range chosen {
		line := f.root.Value
		for _, word := range []string{b.Series, string(b.Form)} {
			if entry, has := entries[word]; has {
				line = entry
			}
		}
		f.backends = append(f.backends, named[backend.Backend]{line, b})
	}
}

// readFormerBackends reads what the key slurm said when there was no key backend.
func (f *file) readFormerBackends() {
	take := func(v input.Value, word string) {
		recorded, _ := trace.FormerBackend(word)
		b, err := run.BackendOf(recorded)
		if recorded.Form == "" || err != nil {
			v.Failf("slurm: %q is no backend of the slurmlab that began this folder", word)
			return
		}
		f.backends = append(f.backends, named[backend.Backend]{v, b})
	}
	if !f.keys.Slurm.There() {
		take(f.root.Value, "")
		return
	}
	for _, one := range list(f.keys.Slurm) {
		if text, good := word(one); good {
			take(one, text)
		}
	}
}

// label is the name of a run's policy in its directory.
func (f *file) label(r Run) string {
	if f.former {
		return run.Recorded(r.Backend).FormerLabel(r.Policy.Name)
	}
	return r.Backend.Label(r.Policy.Name)
}

// series is what the key slurm of an exclusion is matched with.
func (f *file) series(r Run) string {
	if f.former {
		return run.Recorded(r.Backend).Former()
	}
	return r.Backend.Series
}

// Backends are the backends of the runs, each once.
func (p Plan) Backends() backend.List {
	var all backend.List
	for _, r := range p.Runs {
		if !slices.Contains(all, r.Backend) {
			all = append(all, r.Backend)
		}
	}
	return all
}

// BackendIn is the one backend of the runs in a directory, with the name of one of them; none where they have several, or one
// that this slurmlab does not have.
func BackendIn(out string) (backend.Backend, string) {
	var found trace.Backend
	name := ""
	for _, path := range RunsIn(out) {
		_, record, err := trace.OpenRun(path)
		if err != nil {
			continue
		}
		if found.Form != "" && record.Backend != found {
			return backend.Backend{}, ""
		}
		found, name = record.Backend, filepath.Base(path)
	}
	b, err := run.BackendOf(found)
	if err != nil {
		return b, ""
	}
	return b, name
}
