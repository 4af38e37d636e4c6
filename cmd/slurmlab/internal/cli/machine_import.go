package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func machineImportCommand(s *State) *cobra.Command {
	var name, memory, out, policyOut string
	var allUsers bool
	var from interchange.Moment
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a machine file of a cluster's own configuration",
		Long: `Reads files of a Slurm cluster, in any order, and writes a machine file:

  slurm.conf, with the files that it includes
  gres.conf      for the types of GPUs that slurm.conf does not have
  topology.conf or topology.yaml, for switches or blocks of nodes
  the output of "scontrol show node" and of "scontrol show partition", which has
  the last word, also on the nodes that are down or drained at the moment
  the file of "sacctmgr dump CLUSTER file=FILE", for accounts, their limits and
  shares, and since Slurm 26.05 for QOS
  the output of "sacctmgr -P show qos", for the QOS of any version, and of
  "sacctmgr -P show assoc tree" in the place of a dump, with any columns
  the output of "sshare -a -P", for what the users of the accounts have used
  the output of "scontrol show reservation"; it needs --from, the beginning of
  the run, as "slurmlab machine events" does

What each file is shows in its text. Nodes that are alike, and in the same
partitions, become a group, whose key hosts has the site's names of its nodes.
Everything that changes who runs when or where, and that a machine file has no
key for, is named in a comment at the top and at the end of the command. All
faults are listed with their lines.

Settings of the whole cluster, such as SchedulerParameters, belong to a policy.
With --policy-out they become the policy "site" of a file for --policy-file.
Settings that no policy can have are named with the reason.`,
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
			if err := errors.Join(fromErr, checkMissingMemory(memory), checkWorkloadOut(out), checkPolicyOut(policyOut, out)); err != nil {
				return usage(err)
			}
			return importMachine(s, args, name, site.ReadOptions{Open: readSite, From: from.Date, Memory: memory, AllUsers: allUsers}, out, policyOut)
		},
	}
	declare(cmd, headFlags, flag("name", &name, "", "name of the machine (default: ClusterName)"))
	declare(cmd, headFlags, flag("missing-memory", &memory, site.MedianMemory,
		"memory of nodes without RealMemory beside others that have it: median of the others, or least (1 MiB for each core)").completes(ofWords(site.MemoryChoices()...)))
	declare(cmd, headFlags, flagOf("from", &moment{&from}, "beginning of the run, a date (2026-03-01, 2026-03-01T12:00:00), from which reservations count"))
	declare(cmd, headFlags, flag("all-users", &allUsers, false, "keep users with one share and without limits, for a cluster of \"slurmlab up\"; a run makes them itself"))
	declare(cmd, headResults,
		flag("out", &out, "", "machine file to write (default: standard output)").completes(ofFiles(workloads.MachineEndings()...)),
		flag("policy-out", &policyOut, "", "policy file to write with the scheduler of slurm.conf, as policy \"site\"").completes(ofFiles(".yaml", ".yml")),
	)
	return cmd
}

func checkMissingMemory(choice string) error {
	if all := site.MemoryChoices(); !slices.Contains(all, choice) {
		return fmt.Errorf("missing-memory: %q is not known, allowed are %s%s", choice, strings.Join(all, ", "), faults.DidYouMean(choice, all))
	}
	return nil
}

func checkPolicyOut(policyOut, out string) error {
	if policyOut == "" {
		return nil
	}
	if policyOut == out {
		return fmt.Errorf("policy-out: got %s, the file of --out; choose another", out)
	}
	if err := checkWorkloadOut(policyOut); err != nil {
		return fmt.Errorf("policy-%w", err)
	}
	return nil
}

func importMachine(s *State, files []string, name string, o site.ReadOptions, out, policyOut string) error {
	texts, err := readSiteFiles(files)
	if err != nil {
		return usage(err)
	}
	made := "made by slurmlab machine import of " + strings.Join(baseNames(files), ", ")
	found, err := siteOf(texts, name, o, made)
	if err == nil && policyOut == "" {
		found.leavePolicy()
	} else if err == nil {
		err = found.takePolicy()
	}
	if err != nil {
		return usage(err)
	}
	if err := writeOut(s, out, func(w io.Writer) error { _, err := io.WriteString(w, found.machineFile()); return err }); err != nil {
		return err
	}
	if policyOut != "" {
		if err := writeOut(s, policyOut, func(w io.Writer) error { _, err := io.WriteString(w, found.policyFile()); return err }); err != nil {
			return err
		}
	}
	return s.note(append(found.notes(), "machine "+found.machine.Name+": "+report.InService(found.machine))...)
}

// note prints lines about what a command made.
func (s *State) note(lines ...string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintf(s.Stderr, "slurmlab: %s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// siteMachine is what a site's own files say: a machine and a scheduler.
type siteMachine struct {
	made     string
	settings []site.ConfLine
	machine  workloads.Machine
	policy   policy.Policy
	// ofMachine and ofPolicy say what the files have and the machine or the policy has not.
	ofMachine, ofPolicy []string
}

// siteOf reads a site's files. made says where the result comes from. The policy is up to takePolicy or leavePolicy.
func siteOf(texts []site.File, name string, o site.ReadOptions, made string) (siteMachine, error) {
	cluster, err := site.Read(texts, o)
	if err != nil {
		return siteMachine{}, err
	}
	found := siteMachine{made: made, settings: cluster.Settings, ofMachine: cluster.Notes}
	found.machine, err = workloads.MachineOf(cmp.Or(name, cluster.Name, "site"), cluster.Layout, workloads.Tree{Nodes: cluster.LeafNodes, List: cluster.Switches})
	if err == nil {
		found.machine, err = found.machine.WithBlocks(workloads.BlocksOf(cluster.Blocks, cluster.BlockSizes))
	}
	return found, err
}

// takePolicy makes the policy of the settings of the whole cluster.
func (f *siteMachine) takePolicy() (err error) {
	var list []policy.Setting
	for _, l := range f.settings {
		list = append(list, policy.Setting(l))
	}
	var left []policy.Left
	f.policy, left, err = policy.OfSite(list)
	for _, l := range left {
		f.ofPolicy = append(f.ofPolicy, fmt.Sprintf("policy %s: left out is %s=%s: %v", f.policy.Name, l.Key, l.Value, l.Why))
	}
	return err
}

// leavePolicy says which settings no policy has, as nobody asked for one.
func (f *siteMachine) leavePolicy() {
	var all []string
	for _, l := range f.settings {
		all = append(all, l.Key+"="+l.Value)
	}
	if len(all) > 0 {
		f.ofPolicy = []string{"settings of the whole cluster are not part of a machine, and a run has the policy's; --policy-out makes a policy of them: " + strings.Join(all, " ")}
	}
}

func (f *siteMachine) notes() []string { return slices.Concat(f.ofMachine, f.ofPolicy) }

func (f *siteMachine) machineFile() string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "# %s\n", f.made)
	for _, note := range f.notes() {
		_, _ = fmt.Fprintf(&text, "# %s\n", note)
	}
	return text.String() + workloads.MachineFile(f.machine)
}

func (f *siteMachine) policyFile() string {
	return f.policy.File(append([]string{f.made}, f.ofPolicy...)...)
}

// readSiteFiles reads the files of a site; the error has all that cannot be read.
func readSiteFiles(files []string) ([]site.File, error) {
	var texts []site.File
	var unread []error
	for _, f := range files {
		text, err := readSite(f)
		if err != nil {
			unread = append(unread, err)
		}
		texts = append(texts, site.File{Name: f, Text: text})
	}
	return texts, errors.Join(unread...)
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
