package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/results/format"
)

// carryOut makes the runs of a campaign that are missing, and its tables.
func (c *campaignFlags) carryOut(ctx context.Context, s *State, path string) error {
	st, err := openStudy(path, c.out, c.aa)
	if err = errors.Join(err, c.check()); err != nil {
		return usage(err)
	}
	c.out = st.folder
	configs, err := st.configs(s, *c)
	if err != nil {
		return err
	}
	if err = checkFolder(st.folder); err != nil {
		return usage(err)
	}
	if _, err = c.find(configs); err != nil {
		return err
	}
	if err = st.keep(); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(st.folder, logName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = log.Close() }()
	c.log = log
	err = c.complete(ctx, s, c.replication.parallel, configs)
	manifestErr := st.writeManifest(configs)
	if err = errors.Join(err, manifestErr); err != nil {
		return err
	}
	_, err = io.WriteString(s.Stdout, wrap(fmt.Sprintf("The campaign is complete: %s in %s.", format.Plural(len(configs), "run"), st.folder), "", s.width())+
		wrap("Next, what they show:", "", s.width())+commandText([]string{"slurmlab", "campaign", "report", st.folder}, s.screen()))
	return err
}

// checkFolder refuses a folder with somebody else's files.
func checkFolder(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, inputsName, campaignName)); err == nil {
		return nil
	}
	return checkRuns(folder)
}
