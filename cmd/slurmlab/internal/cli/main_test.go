package cli_test

import (
	"cmp"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

// versionVariable carries the version that slurmlab shall have into its
// process; without it the version is "test".
const versionVariable = "SLURMLAB_TEST_VERSION"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"slurmlab": func() {
			version := cmp.Or(os.Getenv(versionVariable), "test")
			os.Exit(cli.Main(cli.System(version, "test"), os.Args[1:]))
		},
	})
}
