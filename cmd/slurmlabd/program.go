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
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin/process"
	"github.com/slurmlab/slurmlab/policy"
)

// nobody is who a program of the user's runs as: it may read its file and the system, and
// can neither write the cluster's files nor change other people's jobs.
const nobody = 65534

// newProgramOf starts the user's program, whose file slurmlab has copied to conf.ProgramDir.
func newProgramOf(ctx context.Context, state boot.State, p policy.Parameters, o agent.Options, log *slog.Logger) (aides, error) {
	words, err := os.OpenFile(filepath.Join(boot.LogDir, "program.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return aides{}, fmt.Errorf("log of the program: %w", err)
	}
	command := process.Command{
		// As a solver, it gives way to what ends jobs.
		Argv: []string{"nice", "-n", "10", filepath.Join(conf.ProgramDir, p.Program)},
		Dir:  conf.ProgramDir,
		// Without the virtual clock's library: it is asked in real time.
		Env:    []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1"},
		Stderr: &limited{file: words, left: mostWords},
	}
	if os.Geteuid() == 0 {
		command.User = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	help := aides{process: process.New(command)}
	help.program, err = plugin.NewDecider(ctx, plugin.Options{
		Program: help.process, Limit: o.SolveLimit, Clock: o.Auction.Clock,
		Hold: func() func() {
			state.Clock.Hold()
			return state.Clock.Go
		},
		Log: func(text string) { log.Info("program "+p.Program, "says", text) },
	})
	if err != nil {
		return aides{}, fmt.Errorf("program %s: %w%s", p.Program, err, lastWords(words.Name()))
	}
	return help, nil
}

// mostWords is how much of a program's standard error is kept.
const mostWords = 1 << 20

// limited is the head of a log.
type limited struct {
	file *os.File
	left int
}

func (l *limited) Write(text []byte) (int, error) {
	kept := text[:min(len(text), l.left)]
	l.left -= len(kept)
	if _, err := l.file.Write(kept); err != nil {
		return 0, fmt.Errorf("log of the program: %w", err)
	}
	return len(text), nil
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
