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

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func machineImportCommand(s *State) *cobra.Command {
	var name, out, policyOut string
	var from interchange.Moment
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
  the output of "sshare -a -P", for what the users of the accounts have used
  the output of "scontrol show reservation"; it needs --from, the beginning of
  the run, as "slurmlab machine events" does

What each file is shows in its text. Nodes that are alike, and in the same
partitions, become a group, whose key hosts has the site's names of its nodes.
Everything that changes who runs when or where, and that a machine file has no
key for, is named in a comment at the top and at the end of the command. All
faults are listed with their lines.

Settings of the whole cluster, such as SchedulerParameters, are those of a
policy. With --policy-out they become the policy "site" of a file for the flag
--policy-file; those that no policy can have are named with the reason.`,
		Example: `  slurmlab machine import slurm.conf gres.conf --out mine.yaml
  scontrol show node >nodes.txt; scontrol show partition >partitions.txt
  slurmlab machine import nodes.txt partitions.txt --out mine.yaml
  sacctmgr dump mine file=dump.txt; sacctmgr -P show qos >qos.txt
  sshare -a -P >usage.txt
  slurmlab machine import slurm.conf dump.txt qos.txt usage.txt \
    --out mine.yaml --policy-out mine-policy.yaml`,
		ValidArgsFunction: ofFiles().cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var fromErr error
			if from != (interchange.Moment{}) && from.Date.IsZero() {
				fromErr = fmt.Errorf("from: got %s, allowed a date such as 2026-03-01T12:00:00", from)
			}
			if err := errors.Join(fromErr, checkWorkloadOut(out), checkPolicyOut(policyOut, out)); err != nil {
				return usage(err)
			}
			return importMachine(s, args, name, from, out, policyOut)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the machine (default: ClusterName)")
	cmd.Flags().Var(&moment{&from}, "from", "beginning of the run, a date (2026-03-01, 2026-03-01T12:00:00), from which reservations count")
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&out, "out", "", "machine file to write (default: standard output)")
		f.StringVar(&policyOut, "policy-out", "", "policy file to write with the scheduler of slurm.conf, as policy \"site\"")
	})
	completeFlag(cmd, "out", ofFiles(workloads.MachineEndings()...))
	completeFlag(cmd, "policy-out", ofFiles(".yaml", ".yml"))
	return cmd
}

func checkPolicyOut(policyOut, out string) error {
	if policyOut == "" {
		return nil
	}
	if policyOut == out {
		return fmt.Errorf("policy-out: got %s, allowed another file than that of --out", out)
	}
	if err := checkWorkloadOut(policyOut); err != nil {
		return fmt.Errorf("policy-%w", err)
	}
	return nil
}

func importMachine(s *State, files []string, name string, from interchange.Moment, out, policyOut string) error {
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
	cluster, err := site.Read(texts, site.Options{Open: readSite, From: from.Date})
	if err != nil {
		return usage(err)
	}
	m, err := workloads.MachineOf(cmp.Or(name, cluster.Name, "site"), cluster.Layout, workloads.Tree{Nodes: cluster.LeafNodes})
	if err != nil {
		return usage(err)
	}
	made := "made by slurmlab machine import of " + strings.Join(baseNames(files), ", ")
	scheduler, notes, err := sitePolicy(cluster.Settings, policyOut, made)
	if err != nil {
		return usage(err)
	}
	cluster.Notes = append(cluster.Notes, notes...)
	var text bytes.Buffer
	_, _ = fmt.Fprintf(&text, "# %s\n", made)
	for _, note := range cluster.Notes {
		_, _ = fmt.Fprintf(&text, "# %s\n", note)
	}
	text.WriteString(workloads.MachineFile(m))
	if err := writeOut(s, out, func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }); err != nil {
		return err
	}
	if policyOut != "" {
		if err := writeOut(s, policyOut, func(w io.Writer) error { _, err := io.WriteString(w, scheduler); return err }); err != nil {
			return err
		}
	}
	for _, note := range append(cluster.Notes, "machine "+m.Name+": "+inService(m)) {
		if _, err := fmt.Fprintf(s.Stderr, "slurmlab: %s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// sitePolicy is the file of the policy of a site's settings, and what is to be said of them.
func sitePolicy(lines []site.Setting, out, from string) (text string, notes []string, err error) {
	if out == "" {
		var all []string
		for _, l := range lines {
			all = append(all, l.Key+"="+l.Value)
		}
		if len(all) > 0 {
			notes = append(notes, "settings of the whole cluster are not part of a machine, and those of the policy are in force; --policy-out makes a policy of them: "+strings.Join(all, " "))
		}
		return "", notes, nil
	}
	var list []policy.Setting
	for _, l := range lines {
		list = append(list, policy.Setting(l))
	}
	p, left, err := policy.OfSite(list)
	for _, l := range left {
		notes = append(notes, fmt.Sprintf("policy %s: left out is %s=%s: %v", p.Name, l.Key, l.Value, l.Why))
	}
	return p.File(append([]string{from}, notes...)...), notes, err
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
