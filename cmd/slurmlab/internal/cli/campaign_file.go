package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// Names in the folder of a campaign, beside its runs.
const (
	inputsName   = run.InputsName
	campaignName = "campaign.yaml"
	logName      = "campaign.log"
)

// study is a campaign file that was read, and the folder of its runs.
type study struct {
	campaign.Plan
	folder string
	// file is the campaign file, copied says that it is the copy in the folder.
	file   string
	copied bool
	// text is that of the campaign file with what the flags have added to it.
	text []byte
	// named are the files that the campaign file names, below its directory.
	named []string
}

// fileFlags are those of the commands that take a campaign file, beside it.
type fileFlags struct {
	out string
	aa  bool
	// until and most are --until and --max-seeds, empty and 0 where they are not given.
	until string
	most  int
	// runtime is what is to run the clusters.
	runtime run.RuntimeName
}

// openStudy reads a campaign file, or the one in a folder. The folder of a file is out,
// or has its name without the ending. aa compares each policy with itself. Of a campaign that adds
// seeds the study has those that are to be there when it looks at its intervals next.
func openStudy(path string, flags fileFlags) (study, error) {
	st := study{file: path, folder: flags.out}
	info, err := os.Stat(path)
	if err != nil {
		return st, usage(fmt.Errorf("read campaign: %w", err))
	}
	if info.IsDir() {
		if err = flags.withoutEffect(path); err != nil {
			return st, usage(err)
		}
		st.file, st.folder, st.copied = filepath.Join(path, inputsName, campaignName), path, true
		if _, err = os.Stat(st.file); err != nil {
			return st, usage(fmt.Errorf("read campaign: %s has no %s: it is no folder of a campaign", path, filepath.Join(inputsName, campaignName)))
		}
	} else if st.folder == "" {
		st.folder = strings.TrimSuffix(path, filepath.Ext(path))
		if flags.aa {
			st.folder += "-aa"
		}
		if st.folder == path {
			return st, usage(fmt.Errorf("read campaign: %s has no ending, after which the folder is named; choose one with --out", path))
		}
	}
	if st.text, err = input.ReadFile(st.file); err != nil {
		return st, usage(fmt.Errorf("read campaign: %w", err))
	}
	if st.text, err = flags.addTo(st.text); err != nil {
		return st, usage(err)
	}
	if st.Plan, err = campaign.Read(st.file, st.text, st.sources(flags.runtime)); err != nil || st.Until == nil {
		return st, usage(err)
	}
	var there []string
	for _, path := range campaign.RunsIn(st.folder) {
		there = append(there, filepath.Base(path))
	}
	return st.withSeeds(st.Until.Look(st.Listed, st.Listed+st.Added(there)))
}

// withSeeds is the study with so many seeds.
func (st study) withSeeds(n int) (study, error) {
	var err error
	st.Plan, err = st.WithSeeds(n)
	return st, usage(err)
}

// addTo is the text of a campaign file with what the flags add to it.
func (f fileFlags) addTo(text []byte) ([]byte, error) {
	if f.aa {
		text = append(text, "\naa: true\n"...)
	}
	has := func(key string) bool { return regexp.MustCompile(`(?m)^` + key + `[ \t]*:`).Match(text) }
	var faults []error
	if f.until != "" {
		if _, err := campaign.ParseUntil(f.until, metricColumn); err != nil {
			faults = append(faults, fmt.Errorf("until: %w", err))
		}
		if has("until") {
			faults = append(faults, errors.New("until: the campaign file has the key, too; leave one of them out"))
		}
		text = fmt.Appendf(text, "\nuntil: %q\n", f.until)
	}
	if f.most != 0 {
		switch {
		case f.most < 2:
			faults = append(faults, fmt.Errorf("max-seeds: %d is not allowed, want 2 or more", f.most))
		case has("max_seeds"):
			faults = append(faults, errors.New("max-seeds: the campaign file has the key max_seeds, too; leave one of them out"))
		case !has("until"):
			faults = append(faults, errors.New("max-seeds: has no effect without --until, such as --until waiting:2%"))
		}
		text = fmt.Appendf(text, "\nmax_seeds: %d\n", f.most)
	}
	return text, errors.Join(faults...)
}

// metricColumn is the name in CSV of what a user calls a metric.
func metricColumn(name string) (string, error) {
	m, err := metric.Find(name)
	return m.Column, err
}

// withoutEffect refuses the flags that only a campaign file takes.
func (f fileFlags) withoutEffect(folder string) error {
	var faults []error
	if f.out != "" {
		faults = append(faults, fmt.Errorf("out: %s is the folder of the campaign already; leave it out, or name the campaign file", folder))
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"aa", f.aa}, {"until", f.until != ""}, {"max-seeds", f.most != 0}} {
		if flag.given {
			faults = append(faults, fmt.Errorf("%s: has no effect on the folder %s of a campaign; name the campaign file", flag.name, folder))
		}
	}
	return errors.Join(faults...)
}

// sources find files below the directory of the campaign file, so that a campaign can be
// taken to another place, and remember them.
func (st *study) sources(on run.RuntimeName) campaign.Sources {
	return campaign.Sources{
		Kind: on.Fits,
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
	}
}

// path is where a file lies that a campaign file names; other names are as they are.
func (st *study) path(name string, endings []string) (string, error) {
	if !strings.Contains(name, "/") && !slices.Contains(endings, filepath.Ext(name)) {
		return name, nil
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s is not below the directory of the campaign file, want a file beside it or below", name)
	}
	if !slices.Contains(st.named, name) {
		st.named = append(st.named, name)
	}
	// A name without a directory or a known ending would be taken for one of slurmlab's.
	return filepath.Join(filepath.Dir(st.file), name), nil
}

// configs are the runs as they are carried out. Their images are not known yet.
func (st *study) configs(s *State, flags campaignFlags) ([]run.Config, error) {
	var configs []run.Config
	for _, r := range st.Runs {
		kind := kindFlags{slurm: r.Slurm, name: flags.image}
		if flags.image != "" && r.Slurm != st.Runs[0].Slurm {
			return nil, usage(errors.New("image: the campaign has several kinds of cluster, want the flag left out"))
		}
		configs = append(configs, run.Config{
			Dir: filepath.Join(st.folder, r.Dir), Slurm: r.Slurm, Image: kind.image(), Version: s.Version, Revision: s.Revision,
			Machine: r.Machine, Workload: r.Workload, Jobs: r.Jobs, Seed: r.Seed, Policy: r.Policy, Events: r.Events,
			Clock:  clock.Settings{Kind: clock.KindJump, TimeScale: 1, ThinkScale: 1, Start: clock.DefaultStart()},
			Memory: int64(flags.memory),
		})
	}
	return configs, nil
}

// keep copies the campaign file and what it names into the folder.
func (st *study) keep() error {
	if st.copied {
		return nil
	}
	inputs := filepath.Join(st.folder, inputsName)
	for from, to := range st.files() {
		target := filepath.Join(inputs, to)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("keep campaign: %w", err)
		}
		text := st.text
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
func (st *study) files() map[string]string {
	all := map[string]string{st.file: campaignName}
	for _, name := range st.named {
		all[filepath.Join(filepath.Dir(st.file), name)] = name
	}
	return all
}

// ofFolders completes the folder of a campaign.
func ofFolders(_ *cobra.Command, _ []string, begun string) []cobra.Completion {
	return entries(begun, func(path string, entry os.DirEntry) (cobra.Completion, bool) {
		_, err := os.Stat(filepath.Join(path, inputsName, campaignName))
		return path, entry.IsDir() && err == nil
	})
}
