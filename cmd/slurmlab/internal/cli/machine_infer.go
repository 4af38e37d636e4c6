package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/infer"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// inferring is what "machine infer" is asked for.
type inferring struct {
	format, name, out string
	skipBad, wide     bool
}

func machineInferCommand(s *State) *cobra.Command {
	var i inferring
	cmd := &cobra.Command{
		Use:   "infer DUMP...",
		Short: "Propose a machine file from the jobs of a dump",
		Long: `Proposes a machine file from dumps of sacct whose slurm.conf is not at hand.
Where it is, use "slurmlab machine import".

A node has as many cores and GPUs, and as much memory, as jobs ever held of it
at once. Nodes become a group if their names are alike, they are in the same
partitions and they have the same size. A partition has the nodes on which its
jobs ran, and the longest limit of its jobs. Needed are the fields NodeList,
AllocTRES, Partition and Timelimit beside those of "slurmlab workload import".
AllocTRES tells the sum over the nodes of a job, which is divided into equal
parts where the nodes have room for these.

A table, and comments at the top of the file, say how sure each value is:
  sure      jobs ended at it in three or more ways on all nodes, or got whole
            nodes; nodes that two jobs or more had
  likely    jobs ended at it in two ways; two jobs or more had the limit
  at least  otherwise: a lower bound
Each is the least that the machine had. Nodes that were seldom as full as others
of the same names are taken to be like these, and are named. What cannot be
known is named with its count.

Jobs without the names of their nodes (SWF, a dump without NodeList) tell only
how many cores were held at once. The size of a node is then a guess.`,
		Example: `  slurmlab machine infer dump.txt --out mine.yaml
  slurmlab machine infer march.txt april.txt.gz --skip-bad --out mine.yaml
  slurmlab machine infer trace.swf --format swf --out mine.yaml`,
		ValidArgsFunction: ofFiles().cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return i.run(s, args) },
	}
	declare(cmd, headFlags,
		flag("format", &i.format, "sacct", "form of the traces: "+strings.Join(interchange.FormatsWithStarts(), ", ")).completes(ofWords(interchange.FormatsWithStarts()...)),
		flag("name", &i.name, "inferred", "name of the machine"),
		flag("skip-bad", &i.skipBad, false, "leave out bad records and count them"),
	)
	declare(cmd, headResults, flag("out", &i.out, "", "machine file to write (default: standard output, and the table on standard error)").completes(ofFiles(workloads.MachineEndings()...)))
	wideFlag(cmd, &i.wide)
	return cmd
}

func (i inferring) run(s *State, files []string) error {
	if err := checkWorkloadOut(i.out); err != nil {
		return usage(err)
	}
	sources := make([]records.Source, len(files))
	for k, f := range files {
		sources[k] = traceSource(s, f)
	}
	found, err := infer.Machine(sources, i.format, i.skipBad)
	switch {
	case errors.Is(err, run.ErrStopped):
		return run.ErrStopped
	case err != nil:
		return usage(err)
	}
	m, err := workloads.MachineOf(i.name, found.Layout, workloads.Tree{})
	if err != nil {
		return usage(err)
	}
	made := "made by slurmlab machine infer of " + strings.Join(baseNames(files), ", ")
	if err := writeOut(s, i.out, func(w io.Writer) error { return writeInferred(w, m, made, found) }); err != nil {
		return err
	}
	told := s.Stdout
	if i.out == "" {
		told = s.Stderr
	}
	if err := tellFindings(told, report.Description{Screen: s.screen(), Prose: s.width(), Wide: i.wide}, found.Findings); err != nil {
		return err
	}
	for _, note := range append(found.Notes, "machine "+m.Name+": "+report.InService(m)) {
		if _, err := fmt.Fprintf(s.Stderr, "slurmlab: %s\n", note); err != nil {
			return err
		}
	}
	return nil
}

func writeInferred(w io.Writer, m workloads.Machine, made string, found infer.Inferred) error {
	var file bytes.Buffer
	_, _ = fmt.Fprintf(&file, "# %s\n", made)
	for _, f := range found.Findings {
		_, _ = fmt.Fprintf(&file, "# %s\n", f)
	}
	for _, note := range found.Notes {
		_, _ = fmt.Fprintf(&file, "# %s\n", note)
	}
	file.WriteString(workloads.MachineFile(m))
	_, err := w.Write(file.Bytes())
	return err
}

func tellFindings(w io.Writer, d report.Description, found []infer.Finding) error {
	var rows [][]string
	for _, f := range found {
		rows = append(rows, []string{f.Of, f.What, f.Value, string(f.Sure), f.Because})
	}
	if err := d.Table([]report.Heading{{Title: "of"}, {Title: "what"}, {Title: "value"}, {Title: "sure"}, {Title: "because", Rank: 1}}, rows); err != nil {
		return err
	}
	_, err := io.WriteString(w, d.String())
	return err
}
