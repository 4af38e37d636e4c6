package campaign

import (
	"context"
	"fmt"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// Terminal is where a command says what it does. The command line has one, and tests have one
// that shows nothing.
type Terminal interface {
	// Warn shows what speaks against a run or its numbers.
	Warn(text string)
	// Say shows a line, unless the user wants quiet.
	Say(line string)
	// Tell shows a paragraph, unless the user wants quiet, and puts it into the log.
	Tell(text string)
	// Show begins to show how far the runs are; there counts further ones that are complete already. When ctx
	// ends, which is how a user stops a command, it shows stopping.
	Show(ctx context.Context, stopping string, there int, runs []run.Config) Board
}

// Board shows how far runs are, by their indices in a list, until it is closed. Its methods may be called at
// the same time.
type Board interface {
	// Note shows a line that stays, Warn what went wrong beside a run, quiet or not.
	Note(text string)
	Warn(text string)
	// Waiting shows who has the cores that the command waits for.
	Waiting(holders []run.Holder)
	// Follow returns what shows the news of run i, Ended shows how it ended.
	Follow(i int) func(progress.Update)
	Ended(i int, err error)
	// Made shows that somebody else has completed run i, of so many jobs.
	Made(i, jobs int)
	// Watcher looks at run i, nil for nobody.
	Watcher(i int) *run.Watcher
	Close()
}

func (e *Execution) warnf(format string, args ...any) {
	e.Terminal.Warn(fmt.Sprintf(format, args...))
}

func (e *Execution) sayf(format string, args ...any) { e.Terminal.Say(fmt.Sprintf(format, args...)) }
