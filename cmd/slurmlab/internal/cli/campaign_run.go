package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
)

// carryOut makes the runs of a campaign that are missing.
func (c *campaignFlags) carryOut(ctx context.Context, s *State, path string) error {
	st, err := c.open(s, path)
	if err != nil {
		return err
	}
	detached, err := c.complete(ctx, s, &st)
	if err != nil || detached {
		return err
	}
	_, err = io.WriteString(s.Stdout, text.Wrap(fmt.Sprintf("The campaign is complete: %s in %s.", text.Plural(len(st.Runs), "run"), st.Folder), "", s.width())+
		text.Wrap("Next, what they show:", "", s.width())+text.Command([]string{"slurmlab", "campaign", "report", st.Folder}, s.screen()))
	return err
}

// open reads a campaign file and checks the flags beside it.
func (c *campaignFlags) open(s *State, path string) (campaign.Study, error) {
	options := c.file.options(s)
	options.Engine = c.Engine
	st, err := campaign.Open(path, options)
	if err = errors.Join(err, c.check(), c.checkSite()); err != nil {
		return st, usage(err)
	}
	s.tell(st.Notes...)
	c.Out = st.Folder
	return st, nil
}

// complete makes the runs that are missing. It says what to do next where tasks of a site's Slurm make them.
func (c *campaignFlags) complete(ctx context.Context, s *State, st *campaign.Study) (detached bool, err error) {
	if err = errors.Join(c.trust.check(st.Untrusted()), checkFolder(st.Folder)); err != nil {
		return false, usage(err)
	}
	if err = st.KeepsAim(); err != nil {
		return false, err
	}
	making := campaign.Making{
		Execution: c.on(s), Parallel: c.replication.parallel, Image: c.image, Memory: c.memory,
		OnSlurm: c.site.on == campaign.OnSlurm, Ask: c.site.ask, Detach: c.site.detach,
	}
	err = making.CarryOut(ctx, st)
	if errors.Is(err, campaign.ErrDetached) {
		_, err = io.WriteString(s.Stdout, text.Wrap("The tasks make the runs. Next, how far they are, and what is lost submitted again:", "", s.width())+
			text.Command([]string{"slurmlab", "campaign", "status", st.Folder}, s.screen())+text.Command(c.resumeArgs(st.Folder), s.screen()))
		return true, err
	}
	return false, err
}

// resumeArgs is the command that goes on with the campaign on the same Slurm.
func (c *campaignFlags) resumeArgs(folder string) []string {
	return []string{"slurmlab", "campaign", "run", folder, "--on", campaign.OnSlurm, "--engine", run.CharliecloudName, "--image", c.image}
}

// checkFolder refuses a folder with somebody else's files.
func checkFolder(folder string) error {
	if campaign.IsFolder(folder) {
		return nil
	}
	return checkRuns(folder)
}
