package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/anonymise"
)

func machineAnonymiseCommand(s *State) *cobra.Command {
	var key keyFile
	var out string
	cmd := &cobra.Command{
		Use:   "anonymise FILE",
		Short: "Put pseudonyms in the place of names in a machine file",
		Long: `Copies a machine file with groups of nodes and puts pseudonyms in the place of
the names of the machine, its groups, partitions, QOS, accounts, users, licences
and reservations. With the key of "slurmlab workload anonymise" a name has the
same pseudonym as in the dump or the workload, so that the dump can be imported
on this machine. The QOS normal and the account root, which each Slurm has,
stay. Comments and the site's names of nodes are left out, and so are the
reasons of nodes that are out of service. Features, types of GPUs, numbers and
sizes are kept.`,
		Example: `  slurmlab workload anonymise dump.txt --key-file site.key --new-key \
    --out anonymous.txt
  slurmlab machine anonymise mine.yaml --key-file site.key \
    --out anonymous.yaml
  slurmlab workload import anonymous.txt --format sacct \
    --machine anonymous.yaml --out jobs.csv`,
		ValidArgsFunction: ofFiles(workloads.MachineEndings()...).first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return anonymiseMachine(s, &key, args[0], out) },
	}
	key.flags(cmd)
	declare(cmd, headFlags, flag("out", &out, "", "new machine file to write (required)").completes(ofFiles(workloads.MachineEndings()...)))
	return cmd
}

func anonymiseMachine(s *State, key *keyFile, file, out string) error {
	secret, keyErr := key.load()
	m, machineErr := workloads.LoadMachine(file)
	if machineErr == nil && !m.Unequal() {
		machineErr = fmt.Errorf("machine: %s has no groups of nodes, and so no names, allowed a machine file with groups", file)
	}
	outErr := checkWorkloadOut(out)
	switch out {
	case "":
		outErr = errors.New(`out: got "", allowed the name of a new file`)
	case key.path:
		outErr = fmt.Errorf("out: got %s, allowed a file other than the key", out)
	}
	if err := errors.Join(keyErr, machineErr, outErr); err != nil {
		return usage(err)
	}
	err := trace.WriteAtomic(out, func(w io.Writer) error {
		_, err := io.WriteString(w, workloads.MachineFile(anonymise.Machine(m, secret)))
		if err == nil {
			err = key.save(secret)
		}
		return err
	})
	if err != nil {
		return errors.Join(err, key.forget())
	}
	return key.warn(s.Stderr)
}
