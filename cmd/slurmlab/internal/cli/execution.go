package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
)

// execution is how a command carries runs out, and what it shows of them.
type execution struct {
	campaign.Execution
	quiet bool
	// ui shows the runs on the whole terminal. paired shows runs of a comparison that have the same jobs at the same
	// virtual time.
	ui, paired bool
}

// on returns the engine, which shows on the terminal of s what it does.
func (e *execution) on(s *State) *campaign.Execution {
	e.Terminal = terminal{s, e}
	return &e.Execution
}

// runMissing makes the runs that are missing. Broken runs are moved aside.
func (e *execution) runMissing(ctx context.Context, s *State, parallel int, configs []run.Config) error {
	found, err := e.Find(configs)
	if err != nil {
		return err
	}
	return e.on(s).RunMissing(ctx, parallel, configs, found)
}

// terminal implements campaign.Terminal.
type terminal struct {
	state *State
	*execution
}

// Warn implements campaign.Terminal.
func (t terminal) Warn(warning string) { t.state.told(warning) }

// Say implements campaign.Terminal.
func (t terminal) Say(line string) {
	if !t.quiet {
		_, _ = fmt.Fprintln(t.state.Stderr, line)
	}
}

// Tell implements campaign.Terminal.
func (t terminal) Tell(note string) {
	note = text.Wrap(note, "", t.state.width())
	if t.Log != nil {
		_, _ = io.WriteString(t.Log, note)
	}
	if !t.quiet {
		_, _ = io.WriteString(t.state.Stderr, note)
	}
}

// Show implements campaign.Terminal.
func (t terminal) Show(ctx context.Context, stopping string, there int, runs []run.Config) campaign.Board {
	b := newBoard(ctx, t.state, t.quiet, stopping, progressOf(runs)...)
	b.also = t.Log
	b.change(func(m *progress.Model, _ time.Time) { m.There(there) })
	if t.ui {
		b.raise(ctx, t.state, progressOf(runs), t.groups(runs))
	}
	return shown{b}
}

// shown is a board as the engine sees it.
type shown struct{ *board }

// Note implements campaign.Board.
func (b shown) Note(note string) { b.note(note) }

// Warn implements campaign.Board.
func (b shown) Warn(warning string) { b.warn(warning) }

// Waiting implements campaign.Board.
func (b shown) Waiting(holders []run.Holder) { b.waiting(holders) }

// Follow implements campaign.Board.
func (b shown) Follow(i int) func(progress.Update) { return b.follow(i) }

// Ended implements campaign.Board.
func (b shown) Ended(i int, err error) { b.ended(i, err) }

// Made implements campaign.Board.
func (b shown) Made(i, jobs int) {
	b.change(func(m *progress.Model, now time.Time) {
		m.Update(i, progress.Update{Stage: progress.Running, Counts: drive.Progress{Done: jobs}}, now)
		m.Update(i, progress.Update{Stage: progress.Complete}, now)
	})
}

// Watcher implements campaign.Board.
func (b shown) Watcher(i int) *run.Watcher { return b.watcher(i) }

// Close implements campaign.Board.
func (b shown) Close() { b.close() }

// anyBuildFlag adds --any-build to a command that goes on.
func (e *execution) anyBuildFlag(cmd *cobra.Command) {
	declare(cmd, headRepeat, flag("any-build", &e.AnyBuild, false, "use complete runs of another build of slurmlab whose settings and Slurm are the same; the table says so"))
}

// engineFlag adds --engine to a command that carries runs out.
func (e *execution) engineFlag(cmd *cobra.Command) {
	declare(cmd, headCluster, flag("engine", (*string)(&e.Engine), run.DockerName, "what runs the cluster: docker, or charliecloud for an unpacked --image without Docker").completes(ofWords(run.DockerName, run.CharliecloudName)))
}

func (e *execution) archiveFlag(cmd *cobra.Command) {
	declare(cmd, headResults, flag("archive", &e.Archive, "", "put each complete run into one file: whole, or raw, which leaves out logs and what explain needs (default: directories)").completes(ofWords(campaign.ArchiveWhole, campaign.ArchiveRaw)))
}

func (e *execution) checkArchive() error {
	switch e.Archive {
	case "", campaign.ArchiveWhole, campaign.ArchiveRaw:
		return nil
	default:
		return fmt.Errorf("archive: %q is unknown, allowed are %s and %s", e.Archive, campaign.ArchiveWhole, campaign.ArchiveRaw)
	}
}
