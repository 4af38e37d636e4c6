// Command slurmlab emulates a supercomputer under a real, unmodified Slurm and
// lets schedulers compete on it.
package main

import (
	"os"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

// Set by the linker; see the Makefile.
var (
	version  = "unbuilt"
	revision = "unknown"
)

func main() {
	os.Exit(cli.Main(cli.System(version, revision), os.Args[1:]))
}
