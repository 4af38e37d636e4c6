package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// newProgramOf starts the user's program: host if the parameters say so, else the one whose file
// slurmlab has copied to conf.ProgramDir.
func newProgramOf(ctx context.Context, state boot.State, p policy.Parameters, o agent.Settings, host plugin.Program, log *slog.Logger) (help deciders, err error) {
	if p.ProgramOnHost {
		help.program, err = newDecider(ctx, state, host, p, o, log)
		if err != nil {
			return deciders{}, fmt.Errorf("program %s: %w; its standard error is in logs/program.log of the run", p.Program, err)
		}
		return help, nil
	}
	words, err := os.OpenFile(filepath.Join(boot.LogDir, "program.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return deciders{}, fmt.Errorf("log of the program: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return deciders{}, fmt.Errorf("find own program: %w", err)
	}
	command := plugin.Command{
		// As a solver, it gives way to what ends jobs.
		Argv: []string{"nice", "-n", "10", self, confinedName, filepath.Join(conf.ProgramDir, p.Program)},
		Dir:  conf.ProgramDir,
		// Without the virtual clock's library: it is asked in real time.
		// Its user has no name in the cluster, for which some programs look there.
		Env:    []string{"USER=program", "LOGNAME=program", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONPATH=" + conf.ModuleDir, "PYTHONDONTWRITEBYTECODE=1"},
		Stderr: plugin.HeadOf(words, plugin.MostWords),
	}
	if os.Geteuid() == 0 {
		command.User = &syscall.Credential{Uid: conf.ProgramUser, Gid: conf.ProgramUser}
	}
	help.process = plugin.NewProcess(command)
	if help.program, err = newDecider(ctx, state, help.process, p, o, log); err != nil {
		return deciders{}, fmt.Errorf("program %s: %w%s", p.Program, err, lastWords(words.Name()))
	}
	return help, nil
}

func newDecider(ctx context.Context, state boot.State, program plugin.Program, p policy.Parameters, o agent.Settings, log *slog.Logger) (*plugin.Decider, error) {
	return plugin.NewDecider(ctx, plugin.DeciderOptions{
		Program: program, Limit: o.SolveLimit, Clock: o.Auction.Clock,
		Hold: func() func() {
			state.Clock.Hold()
			return state.Clock.Go
		},
		Log: func(text string) { log.Info("program "+p.Program, "says", text) },
	})
}

// lastWords is the end of what a program wrote to its standard error.
func lastWords(log string) string {
	const most = 2000
	text, err := os.ReadFile(log)
	if err != nil || len(text) == 0 {
		return ""
	}
	return "\n  its standard error ends with:\n" + string(text[max(0, len(text)-most):])
}
