package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// traceCommand is a line of docs/reference/trace-formats.md: from the small trace of a format to a comparison.
type traceCommand struct{ format, trace, columns, machine, line string }

func traceCommands(t *testing.T) []traceCommand {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(repository, "docs/reference/trace-formats.md"))
	require.NoError(t, err)
	var all []traceCommand
	for _, m := range regexp.MustCompile(`(?m)^slurmlab workload import (\S+) --format (\S+)(?: --columns (\S+))? --machine (\S+) .*$`).FindAllStringSubmatch(string(page), -1) {
		all = append(all, traceCommand{format: m[2], trace: m[1], columns: m[3], machine: m[4], line: m[0]})
	}
	return all
}

// Each format has a small trace, which the import takes whole for the small machine: what it leaves out is what never ran.
func TestEachFormatHasATrace(t *testing.T) {
	var formats []string
	for _, c := range traceCommands(t) {
		formats = append(formats, c.format)
		m, err := workloads.LoadMachine(filepath.Join(repository, c.machine))
		require.NoError(t, err)
		from := records.Source{Name: c.trace, Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(repository, c.trace)) }}
		o := interchange.ImportOptions{Machine: m, Resource: interchange.Core}
		if c.columns != "" {
			var columns []byte
			columns, err = os.ReadFile(filepath.Join(repository, c.columns))
			require.NoError(t, err)
			o.Table, err = interchange.ParseTable(c.columns, columns)
			require.NoError(t, err)
		}
		summary, err := interchange.Import(from, c.format, io.Discard, o)
		require.NoError(t, err, c.format)
		require.Equal(t, 6, summary.Records, c.format)
		require.GreaterOrEqual(t, summary.Jobs, 5, c.format)
		described := interchange.Describe()
		if at := slices.IndexFunc(described, func(d interchange.Described) bool { return d.Name == c.format }); at >= 0 && described[at].Citation != "" {
			d := described[at]
			require.Contains(t, strings.Join(summary.Trace, "\n"), "cite "+d.Citation)
		}
	}
	require.ElementsMatch(t, interchange.Formats(), formats)
}

// The machine files of published traces have no faults, and the page links to each.
func TestMachinesOfTraces(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "docs/reference/trace-formats.md"))
	require.NoError(t, err)
	const folder = "examples/traces/machines"
	files, err := os.ReadDir(filepath.Join(repository, folder))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		m, err := workloads.LoadMachine(filepath.Join(repository, folder, f.Name()))
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(f.Name(), ".yaml"), m.Name)
		require.Contains(t, string(page), "(../../"+folder+"/"+f.Name()+")")
	}
}
