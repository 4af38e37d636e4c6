package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Names in the folder of a campaign, beside its runs.
const (
	inputsName   = run.InputsName
	campaignName = "campaign.yaml"
	logName      = "campaign.log"
)

// Study is a campaign file that was read, and the folder of its runs.
type Study struct {
	Plan
	Folder string
	// options are those that it was opened with.
	options FileOptions
	// file is the campaign file, copied says that it is the copy in the folder.
	file   string
	copied bool
	// text of the campaign file with what the flags have added to it.
	text []byte
	// named are the files that the campaign file names, below its directory.
	named []string
	// former is as in Sources.
	former bool
}

// FileOptions are what a command adds to a campaign file.
type FileOptions struct {
	// Version and Revision are those of this slurmlab.
	Version, Revision string
	// Out is the folder, AA compares each policy with itself.
	Out string
	AA  bool
	// Until and Most are --precision and --max-seeds, empty and 0 where they are not given.
	Until string
	Most  int
	// Shakes is --shake, how often a day of a what-if study is repeated, 0 where it is not given.
	Shakes int
	// Engine is what is to run the clusters.
	Engine run.EngineName
}

// Open reads a campaign file, or the one in a folder. The folder of a file is Out,
// or has its name without the ending. Of a campaign that adds
// seeds the study has those that are to be there when it looks at its intervals next.
func Open(path string, o FileOptions) (Study, error) {
	st := Study{file: path, Folder: o.Out, options: o}
	info, err := os.Stat(path)
	if err != nil {
		return st, faults.Usage(fmt.Errorf("read campaign: %w", err))
	}
	if info.IsDir() {
		if err = o.withoutEffect(path); err != nil {
			return st, faults.Usage(err)
		}
		st.file, st.Folder, st.copied = filepath.Join(path, inputsName, campaignName), path, true
		if _, err = os.Stat(st.file); err != nil {
			return st, faults.Usage(fmt.Errorf("read campaign: %s has no %s: it is no folder of a campaign", path, filepath.Join(inputsName, campaignName)))
		}
	} else if st.Folder == "" {
		st.Folder = strings.TrimSuffix(path, filepath.Ext(path))
		if o.AA {
			st.Folder += "-aa"
		}
		if st.Folder == path {
			return st, faults.Usage(fmt.Errorf("read campaign: %s has no ending, after which the folder is named; choose one with --out", path))
		}
	}
	if st.text, err = input.ReadFile(st.file); err != nil {
		return st, faults.Usage(fmt.Errorf("read campaign: %w", err))
	}
	if st.text, err = o.addTo(st.text); err != nil {
		return st, faults.Usage(err)
	}
	st.former = !namesBackends(st.text) && begunFormerly(st.Folder)
	if st.Plan, err = Read(st.file, st.text, st.sources(o.Engine)); err != nil || st.Until == nil {
		st.nameFormerly()
		return st, faults.Usage(err)
	}
	var there []string
	for _, path := range RunsIn(st.Folder) {
		there = append(there, filepath.Base(path))
	}
	return st.Grow(st.Until.Look(st.Listed, st.Listed+st.Added(there)))
}

// Grow is the study with so many seeds.
func (st Study) Grow(n int) (Study, error) {
	var err error
	st.Plan, err = st.WithSeeds(n)
	st.nameFormerly()
	return st, faults.Usage(err)
}

// nameFormerly finds the runs of another command in the folder that have their former names.
func (st *Study) nameFormerly() {
	for i, r := range st.Runs {
		if !st.former {
			st.Runs[i].Dir = r.DirName(st.Folder, Side{Policy: r.Policy, Backend: r.Backend})
		}
	}
}

// addTo is the text of a campaign file with what the flags add to it.
func (o FileOptions) addTo(text []byte) ([]byte, error) {
	if o.AA {
		text = append(text, "\naa: true\n"...)
	}
	has := func(key string) bool { return regexp.MustCompile(`(?m)^` + key + `[ \t]*:`).Match(text) }
	var faults []error
	if o.Until != "" {
		if _, err := ParseUntil(o.Until, metricColumn); err != nil {
			faults = append(faults, fmt.Errorf("precision: %w", err))
		}
		if has("(?:precision|until)") {
			faults = append(faults, errors.New("precision: the campaign file has the key, too; leave one of them out"))
		}
		text = fmt.Appendf(text, "\nprecision: %q\n", o.Until)
	}
	if o.Most != 0 {
		switch {
		case o.Most < 2:
			faults = append(faults, fmt.Errorf("max-seeds: %d is not allowed, want 2 or more", o.Most))
		case has("max_seeds"):
			faults = append(faults, errors.New("max-seeds: the campaign file has the key max_seeds as well; leave one of them out"))
		case !has("(?:precision|until)"):
			faults = append(faults, errors.New("max-seeds: has no effect without --precision, such as --precision waiting=2%"))
		}
		text = fmt.Appendf(text, "\nmax_seeds: %d\n", o.Most)
	}
	if o.Shakes != 0 {
		if has("shakes") {
			faults = append(faults, errors.New("shake: the file has the key shakes as well; leave one of them out"))
		}
		text = fmt.Appendf(text, "\nshakes: %d\n", o.Shakes)
	}
	return text, errors.Join(faults...)
}

// namesBackends says whether a campaign file has the key backend. The copy in a folder has it always, unless the folder was begun
// when one word named form and series.
func namesBackends(text []byte) bool {
	body, there := input.Open(campaignName, text, input.Want).Body("")
	if !there || !body.IsMapping() {
		return false
	}
	_, named := body.Mapping().Peek("backend")
	return named
}

// begunFormerly says that a folder was begun when one word named form and series of a backend: its copy of the campaign file does
// not name backends, or there is no copy, and the first run that has a record does not.
func begunFormerly(folder string) bool {
	if kept, err := os.ReadFile(filepath.Join(folder, inputsName, campaignName)); err == nil {
		return !namesBackends(kept)
	}
	for _, path := range RunsIn(folder) {
		if dir, err := trace.Open(path); err == nil && dir.Has("run.json") {
			return dir.Former()
		}
	}
	return false
}

// withBackends is the campaign file with the backends of its runs, so that the folder keeps them whatever the default is.
func (st *Study) withBackends() []byte {
	if st.former || st.Plan.file.keys.Backend.There() {
		return st.text
	}
	keys := []string{fmt.Sprintf("backend: [%s]", strings.Join(st.Backends().Forms(), ", "))}
	if !st.Plan.file.keys.Slurm.There() {
		keys = append(keys, fmt.Sprintf("slurm: [%s]", strings.Join(st.Backends().Series(), ", ")))
	}
	if inBraces := bytes.TrimLeft(st.text, " \t\r\n"); bytes.HasPrefix(inBraces, []byte("{")) {
		return slices.Concat([]byte("{"+strings.Join(keys, ", ")+", "), inBraces[1:])
	}
	return slices.Concat(st.text, []byte("\n"+strings.Join(keys, "\n")+"\n"))
}

// metricColumn is the name in CSV of what a user calls a metric.
func metricColumn(name string) (string, error) {
	m, err := metric.Find(name)
	return m.Column, err
}

// withoutEffect refuses the flags that only a campaign file takes.
func (o FileOptions) withoutEffect(folder string) error {
	var faults []error
	if o.Out != "" {
		faults = append(faults, fmt.Errorf("out: %s is the folder of the campaign already; leave it out, or name the campaign file", folder))
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"aa", o.AA}, {"precision", o.Until != ""}, {"max-seeds", o.Most != 0}, {"shake", o.Shakes != 0}} {
		if flag.given {
			faults = append(faults, fmt.Errorf("%s: has no effect on the folder %s of a campaign; name the campaign file", flag.name, folder))
		}
	}
	return errors.Join(faults...)
}

// sources find files below the directory of the campaign file, so that a campaign can be
// taken to another place, and remember them.
func (st *Study) sources(on run.EngineName) Sources {
	return Sources{
		Backend: on.Fits, Former: st.former,
		Machine: func(name string) (workloads.Machine, error) {
			path, err := st.path(name, workloads.MachineEndings())
			if err != nil {
				return workloads.Machine{}, err
			}
			return workloads.LoadMachine(path)
		},
		Workload: func(name string) (workloads.Workload, error) {
			path, err := st.path(name, workloads.Endings())
			if err != nil {
				return workloads.Workload{}, err
			}
			return workloads.Load(path)
		},
		Events: func(name string, m workloads.Machine) ([]events.Event, error) {
			path, err := st.path(name, []string{filepath.Ext(name)})
			if err != nil {
				return nil, err
			}
			return events.ReadFile(path, m)
		},
		Policies: func(name string) (policy.Policies, error) {
			if name == "" {
				return policy.All()
			}
			path, err := st.path(name, []string{filepath.Ext(name)})
			if err != nil {
				return nil, err
			}
			return policy.File(path).All()
		},
		Program: func(p policy.Policy, file string) (policy.Policy, error) {
			path, err := st.path(file, []string{filepath.Ext(file)})
			if err != nil {
				return p, err
			}
			return policy.WithProgram(p, path)
		},
		Metric: metricColumn,
		Trace: func(name string) (records.Source, error) {
			path, err := st.path(name, []string{filepath.Ext(name)})
			if err != nil {
				return records.Source{}, err
			}
			return records.Source{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(path) }}, nil
		},
		Columns: func(name string) (*interchange.Table, error) {
			path, err := st.path(name, []string{filepath.Ext(name)})
			if err != nil {
				return nil, err
			}
			text, err := input.ReadFile(path)
			if err != nil {
				return nil, err
			}
			return interchange.ParseTable(name, text)
		},
	}
}

// isBelow refuses a file that links lead out of the directory. Its text would get into errors, and into the folder of the
// campaign. One that cannot be found is refused where it is read.
func isBelow(path, dir string) error {
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil //nolint:nilerr // who reads the file says why it cannot be read
	}
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if within, err := filepath.Rel(top, at); err != nil || !filepath.IsLocal(within) {
		return fmt.Errorf("%s is a link to %s, which is not below the directory of the campaign file, want a file beside it or below", path, at)
	}
	return nil
}

// path is where a file lies that a campaign file names; other names are as they are.
func (st *Study) path(name string, endings []string) (string, error) {
	if !strings.Contains(name, "/") && !slices.Contains(endings, filepath.Ext(name)) {
		return name, nil
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s is not below the directory of the campaign file, want a file beside it or below", name)
	}
	// A name without a directory or a known ending would be taken for one of slurmlab's.
	path := filepath.Join(filepath.Dir(st.file), name)
	if err := isBelow(path, filepath.Dir(st.file)); err != nil {
		return "", err
	}
	if !slices.Contains(st.named, name) {
		st.named = append(st.named, name)
	}
	return path, nil
}

// Configs are the runs as they are carried out. They use an image, the usual one where it is empty, and a limit of
// their memory in bytes, 0 for the one that follows from the workload. Their images are not known yet.
func (st *Study) Configs(image string, memory int64) ([]run.Config, error) {
	// A scenario may have jobs preempted; the table counts them.
	how := run.Config{Version: st.options.Version, Revision: st.options.Revision, Memory: memory, AllowFailed: st.Scenarios != nil}
	var configs []run.Config
	for _, r := range st.Runs {
		if image != "" && r.Backend != st.Runs[0].Backend {
			return nil, faults.Usage(errors.New("image: the campaign has several backends, want the flag left out"))
		}
		configs = append(configs, r.config(image, filepath.Join(st.Folder, r.Dir), how))
	}
	return configs, nil
}

// Untrusted are the programs of the file that would run with the rights of the user, each as a fault with its place.
func (st *Study) Untrusted() []faults.Fault {
	return st.Plan.file.programs.Untrusted(st.options.Engine)
}

// IsFolder says that a path is the folder of a campaign.
func IsFolder(path string) bool {
	_, err := os.Stat(filepath.Join(path, inputsName, campaignName))
	return err == nil
}

// keep copies the campaign file and what it names into the folder.
func (st *Study) keep() error {
	if st.copied {
		return nil
	}
	inputs := filepath.Join(st.Folder, inputsName)
	for from, to := range st.files() {
		target := filepath.Join(inputs, to)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("keep campaign: %w", err)
		}
		text := st.withBackends()
		if from != st.file {
			var err error
			if text, err = os.ReadFile(from); err != nil {
				return fmt.Errorf("keep campaign: %w", err)
			}
		}
		if err := trace.WriteAtomic(target, func(w io.Writer) error {
			_, writeErr := w.Write(text)
			return writeErr
		}); err != nil {
			return err
		}
		about, err := os.Stat(from)
		if err == nil {
			// A policy that is a program stays executable.
			err = os.Chmod(target, 0o644|about.Mode().Perm()&0o111)
		}
		if err != nil {
			return fmt.Errorf("keep campaign: %w", err)
		}
	}
	return nil
}

// files maps the files of the campaign to their names in the folder.
func (st *Study) files() map[string]string {
	all := map[string]string{st.file: campaignName}
	for _, name := range st.named {
		all[filepath.Join(filepath.Dir(st.file), name)] = name
	}
	return all
}
