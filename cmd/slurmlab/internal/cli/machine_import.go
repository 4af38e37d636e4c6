package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/workloads"
)

func machineImportCommand(s *State) *cobra.Command {
	var name, out string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a machine file of a cluster's own configuration",
		Long: `Reads files of a Slurm cluster, in any order, and writes a machine file:

  slurm.conf, with the files that it includes
  gres.conf      for the types of GPUs that slurm.conf does not have
  topology.conf  for leaf switches of as many nodes each
  the output of "scontrol show node" and of "scontrol show partition", which has
  the last word, also on the nodes that are down or drained at the moment
  the file of "sacctmgr dump CLUSTER file=FILE", for accounts, their limits and
  shares, and since Slurm 26.05 for QOS
  the output of "sacctmgr -P show qos", for the QOS of any version

What each file is shows in its text. Nodes that are alike, and in the same
partitions, become a group, whose key hosts has the site's names of its nodes.
Everything that changes who runs when or where, and that a machine file has no
key for, is named in a comment at the top and at the end of the command. All
faults are listed with their lines.`,
		Example: `  slurmlab machine import slurm.conf gres.conf --out mine.yaml
  scontrol show node >nodes.txt; scontrol show partition >partitions.txt
  slurmlab machine import nodes.txt partitions.txt --out mine.yaml
  sacctmgr dump mine file=dump.txt; sacctmgr -P show qos >qos.txt
  slurmlab machine import slurm.conf dump.txt qos.txt --out mine.yaml`,
		ValidArgsFunction: ofFiles().cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkWorkloadOut(out); err != nil {
				return usage(err)
			}
			return importMachine(s, args, name, out)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the machine (default: ClusterName)")
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&out, "out", "", "machine file to write (default: standard output)")
	})
	complete(cmd, "out", ofFiles(workloads.MachineEndings()...))
	return cmd
}

func importMachine(s *State, files []string, name, out string) error {
	var texts []site.File
	var unread []error
	for _, f := range files {
		text, err := readSite(f)
		if err != nil {
			unread = append(unread, err)
		}
		texts = append(texts, site.File{Name: f, Text: text})
	}
	if len(unread) > 0 {
		return usage(errors.Join(unread...))
	}
	cluster, err := site.Read(texts, readSite)
	if err != nil {
		return usage(err)
	}
	m, err := workloads.MachineOf(cmp.Or(name, cluster.Name, "site"), cluster.Layout, workloads.Tree{Nodes: cluster.LeafNodes})
	if err != nil {
		return usage(err)
	}
	var text bytes.Buffer
	_, _ = fmt.Fprintf(&text, "# made by slurmlab machine import of %s\n", strings.Join(baseNames(files), ", "))
	for _, note := range cluster.Notes {
		_, _ = fmt.Fprintf(&text, "# %s\n", note)
	}
	text.WriteString(workloads.MachineFile(m))
	if err := writeOut(s, out, func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }); err != nil {
		return err
	}
	for _, note := range append(cluster.Notes, "machine "+m.Name+": "+inService(m)) {
		if _, err := fmt.Fprintf(s.Stderr, "slurmlab: %s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// mostSiteBytes bounds a file of a cluster; a node takes a few hundred bytes of scontrol's.
const mostSiteBytes = 64 << 20

func readSite(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(file, mostSiteBytes+1))
	if err == nil && len(data) > mostSiteBytes {
		err = fmt.Errorf("%s: got more than %d MiB, allowed is a file of a cluster's configuration", name, mostSiteBytes>>20)
	}
	return string(data), errors.Join(err, file.Close())
}

func baseNames(files []string) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = filepath.Base(f)
	}
	return names
}
