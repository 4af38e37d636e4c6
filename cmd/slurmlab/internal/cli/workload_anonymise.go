package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/anonymise"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// anonymising holds the flags of "workload anonymise".
type anonymising struct {
	key     keyFile
	out     string
	options anonymise.Options
}

func workloadAnonymiseCommand(s *State) *cobra.Command {
	var a anonymising
	cmd := &cobra.Command{
		Use:   "anonymise FILE",
		Short: "Put pseudonyms in the place of names in a trace",
		Long: `Copies a workload (CSV, with any columns) or the dump that "sacct -X -P"
printed, plain or gzip, and puts a pseudonym in the place of each user, account,
job name and partition, and of every other value that may name somebody: all
columns but those that are known to have numbers, times, sizes or Slurm's own
words. So the trace can leave its site. The last lines say which columns were
replaced and which were kept.

A pseudonym is the column's kind and a keyed hash (HMAC-SHA-256) of the name,
such as user-5hq2mwzk7c3ntv4a. With one key a name has one pseudonym, in all
files; with another key it has another. Pseudonyms show neither the order of the
names nor their lengths, and without the key nobody can find a name by trying.
Keep the key file at the site.

The user id behind "CANCELLED by" is cut off. Lines of comments at the top of a
workload are left out. Job ids, times, sizes, classes of jobs, and features of
nodes (Constraints) are kept.`,
		Example: `  sacct -a -X -P --format=JobIDRaw,State,Submit,Start,End,Elapsed,Timelimit,\
    NNodes,NCPUS,ReqTRES,AllocTRES,User,Account,Partition > dump.txt
  slurmlab workload anonymise dump.txt --key-file site.key --new-key \
    --out anonymous.txt
  slurmlab workload import anonymous.txt --format sacct --out jobs.csv`,
		ValidArgsFunction: ofFiles().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return a.run(s, args[0]) },
	}
	a.key.flags(cmd)
	declare(cmd, headFlags,
		flag("keep", &a.options.Keep, nil, "columns to keep that would be replaced"),
		flag("replace", &a.options.Replace, nil, "columns to replace that would be kept"),
		flag("skip-bad", &a.options.SkipBad, false, "leave out bad records and count them"),
		flag("out", &a.out, "", "new file to write (required)").completes(ofFiles()),
	)
	return cmd
}

func (a *anonymising) run(s *State, path string) error {
	key, keyErr := a.key.load()
	outErr := checkWorkloadOut(a.out)
	switch a.out {
	case "":
		outErr = errors.New(`out: got "", allowed the name of a new file`)
	case a.key.path:
		outErr = fmt.Errorf("out: got %s, allowed a file other than the key", a.out)
	}
	if err := errors.Join(keyErr, outErr); err != nil {
		return usage(err)
	}
	source := traceSource(s, path)
	var done anonymise.Done
	err := trace.WriteAtomic(a.out, func(w io.Writer) (err error) {
		if done, err = anonymise.Jobs(source, w, key, a.options); err == nil {
			err = a.key.save(key)
		}
		return err
	})
	switch {
	case err == nil:
	case errors.Is(err, run.ErrStopped):
		return run.ErrStopped
	case errors.Is(err, records.ErrWrite), errors.Is(err, errKey), a.key.saved:
		return errors.Join(err, a.key.forget())
	default:
		return usage(err)
	}
	for _, line := range append(done.Text(), done.Bad...) {
		if _, err := fmt.Fprintf(s.Stderr, "slurmlab: %s\n", line); err != nil {
			return err
		}
	}
	return a.key.warn(s.Stderr)
}

// traceSource is a file that can be read more than once, until an interrupt.
func traceSource(s *State, path string) records.Source {
	return records.Source{Name: path, Open: func() (io.ReadCloser, error) {
		file, err := os.Open(path)
		return stoppable{s.Context, file}, err
	}}
}

// keyFile is a file with the key of pseudonyms.
type keyFile struct {
	path string
	// fresh asks for a key and a file that do not exist yet.
	fresh bool
	saved bool
}

// errKey is in the chain of an error that is nobody's fault.
var errKey = errors.New("write key")

func (k *keyFile) flags(cmd *cobra.Command) {
	declare(cmd, headFlags, flag("key-file", &k.path, "", "file with the key of the pseudonyms (required)").completes(ofFiles()))
	declare(cmd, headFlags, flag("new-key", &k.fresh, false, "make the key file, with a key drawn at random"))
}

// load reads the key, or draws one that save writes.
func (k *keyFile) load() ([]byte, error) {
	switch _, err := os.Stat(k.path); {
	case k.path == "":
		return nil, errors.New(`key-file: got "", allowed the name of a file`)
	case k.fresh && err == nil:
		return nil, fmt.Errorf("new-key: %s is there; leave --new-key out to use its key, or name a file that is not there", k.path)
	case k.fresh:
		key := make([]byte, anonymise.KeyBytes)
		// It never fails (package crypto/rand).
		_, _ = rand.Read(key)
		return key, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("key-file: there is no %s; --new-key makes it", k.path)
	}
	text, err := readStart(k.path)
	if err != nil {
		return nil, fmt.Errorf("key-file: %w", err)
	}
	key, err := anonymise.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.path, err)
	}
	return key, nil
}

// readStart reads as much of a file as a key may have, and some more.
func readStart(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	return string(text), errors.Join(err, file.Close())
}

// save writes a key that load drew. Nobody but its owner may read it.
func (k *keyFile) save(key []byte) error {
	if !k.fresh {
		return nil
	}
	file, err := os.OpenFile(k.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", errKey, err)
	}
	_, err = file.WriteString(anonymise.KeyText(key))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("%w: %w", errKey, errors.Join(err, os.Remove(k.path)))
	}
	k.saved = true
	return nil
}

// forget takes back what save did, if nothing has pseudonyms of the key.
func (k *keyFile) forget() error {
	if !k.saved {
		return nil
	}
	return os.Remove(k.path)
}

// warn says that others can read the key.
func (k *keyFile) warn(w io.Writer) error {
	at, err := os.Stat(k.path)
	if err != nil || at.Mode().Perm()&0o077 == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "slurmlab: warning: others can read %s (mode %o), and with the key they can find names; chmod 600 %s\n", k.path, at.Mode().Perm(), k.path)
	return err
}
