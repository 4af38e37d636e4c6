// Command release makes the parts of a release that need a program: the file of an image and
// the list of what the parts consist of. "make release" calls it.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slurmlab/slurmlab/containers/slurm/image"
)

const usage = `usage:
  docker save NAME | release image FILE
  release sbom FILE VERSION TIME BINARY IMAGE...`

func main() {
	if err := run(os.Args[1:], os.Stdin, docker); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run carries out what args say. The saved image is read from saved, and what images consist
// of is asked of docker, which gets the arguments of a command and returns what that prints.
func run(args []string, saved io.Reader, docker func(args ...string) (string, error)) error {
	switch {
	case len(args) == 2 && args[0] == "image":
		return imageFile(args[1], saved)
	case len(args) >= 5 && args[0] == "sbom":
		b := builder{version: args[2], docker: docker, seen: map[string]bool{}}
		return b.sbom(args[1], args[3], args[4], args[5:])
	default:
		return fmt.Errorf("got %q\n%s", args, usage)
	}
}

// imageFile writes the file of the image that "docker save" has printed.
func imageFile(to string, from io.Reader) (err error) {
	scratch, err := os.MkdirTemp("", "slurmlab-release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	saved, err := os.CreateTemp("", "slurmlab-saved")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, saved.Close(), os.Remove(saved.Name())) }()
	if _, err = io.Copy(saved, from); err != nil {
		return err
	}
	if _, err = saved.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err = errors.Join(image.Write(out, saved, scratch), out.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}
