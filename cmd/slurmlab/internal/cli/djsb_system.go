package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// idle refuses flags that have no effect on a system of the user's.
func (r *djsbRun) idle(on djsbconfig.System) error {
	var names []string
	r.given(func(f *pflag.Flag) {
		if slices.Contains([]heading{headCluster, headPolicy, headClock}, headingOf(f)) || strings.HasPrefix(f.Usage, "model: ") || f.Name == "real" {
			names = append(names, "--"+f.Name)
		}
	})
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s: allowed with on: %s, got on: %s", strings.Join(names, ", "), djsbconfig.SystemCluster, on)
}

// programsThere refuses commands that this machine has not. The applications of a scheduler are
// programs of its nodes, of which nobody knows here.
func programsThere(c djsbconfig.DJSB) error {
	var bad []error
	check := func(field, shell, line string) {
		if word := programOf(line); word != "" && exec.Command(shell, "-c", `command -v -- "$1"`, shell, word).Run() != nil {
			bad = append(bad, fmt.Errorf("%s: got %s, which is no command on this machine", field, faults.Quote(word)))
		}
	}
	there := func(programs ...string) {
		for _, program := range programs {
			if _, err := exec.LookPath(program); err != nil {
				bad = append(bad, fmt.Errorf("on: %s runs %s, which is not in the PATH", c.On, program))
			}
		}
	}
	switch c.On {
	case djsbconfig.SystemSlurm:
		programs := []string{"sbatch", "scontrol", "scancel"}
		if slices.Contains(c.Scenarios, djsbconfig.ScenarioPreemptRequeue) {
			programs = append(programs, "sacct")
		}
		there(programs...)
	case djsbconfig.SystemAllocation:
		there("srun", "squeue", "scontrol", "scancel")
		if os.Getenv(allocationVariable) == "" {
			bad = append(bad, fmt.Errorf("on: allocation runs inside one (salloc, or a batch script), and %s is not set", allocationVariable))
		}
	case djsbconfig.SystemInteractive:
		check("simulation.command", "/bin/bash", c.Simulation.Command)
		check("analysis.command", "/bin/bash", c.Analysis.Command)
	case djsbconfig.SystemCommands:
		check("commands.submit", "/bin/sh", c.Commands.Submit)
		check("commands.poll", "/bin/sh", c.Commands.Poll)
		check("commands.suspend", "/bin/sh", c.Commands.Suspend)
		check("commands.resume", "/bin/sh", c.Commands.Resume)
		check("commands.cancel", "/bin/sh", c.Commands.Cancel)
	}
	return errors.Join(bad...)
}

// allocationVariable names the allocation that a process is in (srun(1), sbatch(1)).
const allocationVariable = "SLURM_JOB_ID"

// programOf is the word of a shell's line that names what is run, "" where only the shell knows.
func programOf(line string) string {
	variable := regexp.MustCompile(`^\w+=[\w./:-]*$`)
	for word := range strings.FieldsSeq(line) {
		if variable.MatchString(word) {
			continue
		}
		if strings.ContainsAny(word, "\"'`$\\(){}[]<>|&;*?~!#=") {
			return ""
		}
		return word
	}
	return ""
}

// onSystem returns what runs the benchmark on a system of the user's, and puts that into the record.
func (r *djsbRun) onSystem(ctx context.Context, s *State, record *djsb.Record) (perform func(djsb.Dir) error, err error) {
	if r.config.On == djsbconfig.SystemSlurm || r.config.On == djsbconfig.SystemAllocation {
		if record.Series, err = slurmHere(ctx, r.config); err != nil {
			return nil, err
		}
	}
	return func(dir djsb.Dir) error {
		// Jobs have a directory of their own.
		kept, err := filepath.Abs(filepath.Join(dir.Path(), "jobs"))
		if err == nil {
			err = os.Mkdir(kept, 0o755)
		}
		if err != nil {
			return fmt.Errorf("make directory for the jobs: %w", err)
		}
		b := benchmark.Benchmark{
			Config: r.config, Seed: r.seed, Clock: clock.Real(), Script: benchmark.CommandScript, Emit: r.emit(s, dir),
			Output: func(id string) string { return filepath.Join(dir.Path(), "jobs", id+".out") },
			Partition: func(part benchmark.Part, _ djsbconfig.Scenario) string {
				if part == benchmark.Simulation {
					return r.config.Simulation.Partition
				}
				return r.config.Analysis.Partition
			},
		}
		// A question for a job may start a program.
		b.Poll, b.SlowPoll = time.Second, 5*time.Second
		switch c := r.config.Commands; r.config.On {
		case djsbconfig.SystemSlurm:
			b.Scheduler = &benchmark.Slurm{Runner: slurmctl.Here{}, Reservation: r.config.Reservation, Dir: kept}
		case djsbconfig.SystemAllocation:
			b.Scheduler = &benchmark.Allocation{Runner: slurmctl.Here{}, ID: os.Getenv(allocationVariable), Sruns: benchmark.Interactive{Dir: kept}}
		case djsbconfig.SystemCommands:
			b.Scheduler = &benchmark.Commands{
				SubmitCommand: c.Submit, PollCommand: c.Poll, SuspendCommand: c.Suspend, ResumeCommand: c.Resume, CancelCommand: c.Cancel, Dir: kept,
			}
		default:
			b.Scheduler, b.Poll, b.SlowPoll = &benchmark.Interactive{Dir: kept}, 20*time.Millisecond, 20*time.Millisecond
		}
		return b.Run(ctx)
	}, nil
}

// slurmHere returns the version of the Slurm that answers here. It refuses what Slurm does not know.
func slurmHere(ctx context.Context, c djsbconfig.DJSB) (string, error) {
	for _, known := range []struct{ option, kind, name string }{
		{"simulation.partition", "partition", c.Simulation.Partition},
		{"analysis.partition", "partition", c.Analysis.Partition},
		{"reservation", "reservation", c.Reservation},
	} {
		// Without a name all are shown, if Slurm answers.
		argv := slices.DeleteFunc([]string{"scontrol", "show", known.kind, known.name}, func(word string) bool { return word == "" })
		_, err := slurmctl.Here{}.Run(ctx, nil, argv...)
		var failed *slurmctl.CommandError
		if errors.As(err, &failed) {
			// Of a name that it does not know scontrol says so on standard output, so that there is no message.
			err = slurmctl.Complaint(strings.Join(argv, " "), failed.Stderr)
			if known.name != "" && !errors.Is(err, slurmctl.ErrUnavailable) {
				return "", usage(fmt.Errorf("%s: got %s, which Slurm does not know here", known.option, faults.Quote(known.name)))
			}
		}
		if err != nil {
			return "", err
		}
	}
	out, err := slurmctl.Here{}.Run(ctx, nil, "scontrol", "--version")
	if err != nil {
		return "", err
	}
	// Debian's says "slurm-wlm 24.11.5".
	text := strings.TrimSpace(string(out))
	return text[strings.LastIndexByte(text, ' ')+1:], nil
}
