package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/text"
)

// carryOut makes the runs of a campaign that are missing, round by round where it adds seeds.
func (c *campaignFlags) carryOut(ctx context.Context, s *State, path string) error {
	c.file.runtime = c.Runtime
	st, err := openStudy(path, c.file)
	if err = errors.Join(err, c.check(), c.checkSite()); err != nil {
		return usage(err)
	}
	c.Out = st.folder
	if err = checkFolder(st.folder); err != nil {
		return usage(err)
	}
	if err = st.keepsAim(); err != nil {
		return err
	}
	for {
		next, roundErr := c.round(ctx, s, &st)
		if errors.Is(roundErr, errDetached) {
			_, err = io.WriteString(s.Stdout, wrap("The tasks make the runs. Next, how far they are, and what is lost submitted again:", "", s.width())+
				commandText([]string{"slurmlab", "campaign", "status", st.folder}, s.screen())+commandText(c.resumeArgs(st.folder), s.screen()))
			return err
		}
		if roundErr != nil {
			return roundErr
		}
		if next == 0 {
			break
		}
		if st, err = st.withSeeds(next); err != nil {
			return err
		}
	}
	_, err = io.WriteString(s.Stdout, wrap(fmt.Sprintf("The campaign is complete: %s in %s.", text.Plural(len(st.Runs), "run"), st.folder), "", s.width())+
		wrap("Next, what they show:", "", s.width())+commandText([]string{"slurmlab", "campaign", "report", st.folder}, s.screen()))
	return err
}

// round makes the runs that are missing, and returns with how many seeds the campaign goes on, 0 at its
// end.
func (c *campaignFlags) round(ctx context.Context, s *State, st *study) (int, error) {
	configs, err := st.configs(s, *c)
	if err != nil {
		return 0, err
	}
	if _, err = c.Find(configs); err != nil {
		return 0, err
	}
	if err = st.keep(); err != nil {
		return 0, err
	}
	log, err := os.OpenFile(filepath.Join(st.folder, logName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = log.Close() }()
	c.Log = log
	if c.site.on == onSlurm {
		err = c.submit(ctx, s, st, configs)
	} else {
		err = c.on(s).RunMissing(ctx, c.replication.parallel, configs)
	}
	if errors.Is(err, errDetached) {
		return 0, err
	}
	if err == nil {
		err = c.PackAll(configs)
	}
	entries, manifestErr := st.look(configs, campaign.Execution{})
	if manifestErr == nil {
		manifestErr = st.writeManifest(entries)
	}
	if err = errors.Join(err, manifestErr); err != nil || st.Until == nil {
		return 0, err
	}
	told := io.Writer(log)
	if !c.quiet {
		told = io.MultiWriter(log, s.Stderr)
	}
	return st.nextSeeds(s, told)
}

// checkFolder refuses a folder with somebody else's files.
func checkFolder(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, inputsName, campaignName)); err == nil {
		return nil
	}
	return checkRuns(folder)
}
