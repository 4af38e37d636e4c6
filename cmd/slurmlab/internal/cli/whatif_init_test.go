package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// The files of the synthetic site are what its generator makes, never edited by hand: its configuration byte by byte, and of the
// record each job's id, user, account, QOS, partition and time limit.
func TestSyntheticSiteIsGenerated(t *testing.T) {
	const site = "../../../../examples/whatif"
	python3 := hosttest.Program(t, "python3")
	generate := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), python3, append([]string{"-B", filepath.Join(site, "generate.py")}, args...)...)
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	made := t.TempDir()
	generate("files", made)
	for _, name := range []string{"slurm.conf", "gres.conf", "qos.txt", "assoc.cfg"} {
		want, err := os.ReadFile(filepath.Join(made, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(site, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), name)
	}
	dump, err := os.ReadFile(filepath.Join(site, "sacct.txt"))
	require.NoError(t, err)
	same := []string{"user", "account", "qos", "partition"}
	inDump := map[string]string{"user": "User", "account": "Account", "qos": "QOS", "partition": "Partition"}
	recorded := rowsByKey(t, string(dump), "|", "JobIDRaw")
	drawn := rowsByKey(t, generate("jobs"), ",", "job_id")
	require.Len(t, drawn, 1500)
	require.Len(t, recorded, len(drawn))
	for id, job := range drawn {
		for _, column := range same {
			require.Equal(t, job[column], recorded[id][inDump[column]], "job %s, %s", id, column)
		}
	}
}

// rowsByKey are the rows of a table by the value of a column, each by the names of its header.
func rowsByKey(t *testing.T, table, separator, key string) map[string]map[string]string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(table), "\n")
	names := strings.Split(lines[0], separator)
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		fields := strings.Split(line, separator)
		require.Len(t, fields, len(names), line)
		row := map[string]string{}
		for i, name := range names {
			row[name] = fields[i]
		}
		rows[row[key]] = row
	}
	return rows
}
