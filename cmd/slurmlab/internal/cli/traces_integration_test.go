//go:build integration

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// TestTraces takes the small traces of a table in text, of JSON, of Parquet and of columns that a file names from the file to a comparison of two policies, by the commands of
// docs/reference/trace-formats.md.
func TestTraces(t *testing.T) {
	t.Parallel()
	compareTraces(t, "acme", "philly-json", "kestrel", "csv")
}

// TestAllTraces does so with each format.
func TestAllTraces(t *testing.T) {
	hosttest.Long(t, "compares policies on the small trace of each format")
	compareTraces(t)
}

// compareTraces makes a script of the command of each of these formats, of all without any, and runs them.
func compareTraces(t *testing.T, formats ...string) {
	t.Helper()
	dir := t.TempDir()
	examples, err := filepath.Abs(filepath.Join(repository, "examples"))
	require.NoError(t, err)
	for _, c := range traceCommands(t) {
		if len(formats) > 0 && !slices.Contains(formats, c.format) {
			continue
		}
		line := strings.Replace(c.line, "slurmlab compare", "slurmlab compare --image $IMAGE", 1)
		script := fmt.Sprintf("symlink examples -> %s\nexec sh -c '%s'\nexists %[3]s/report.html\ngrep backfill %[3]s/comparison.csv\ngrep auction %[3]s/comparison.csv\n", examples, line, c.format)
		require.NoError(t, os.WriteFile(filepath.Join(dir, c.format+".txtar"), []byte(script), 0o600))
	}
	clusterScripts(t, dir)
}
