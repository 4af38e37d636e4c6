package interchange_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

func machineS() workloads.Machine { return workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2} }

func optionsS() interchange.ImportOptions {
	return interchange.ImportOptions{Machine: machineS(), Resource: interchange.Core}
}

func source(name, text string) records.Source {
	return records.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// importText returns the rows, without their line ends.
func importText(format, text string, o interchange.ImportOptions) (interchange.Summary, []string, error) {
	var rows bytes.Buffer
	summary, err := interchange.Import(source("t", text), format, &rows, o)
	if rows.Len() == 0 {
		return summary, nil, err
	}
	return summary, strings.Split(strings.TrimSuffix(rows.String(), "\n"), "\n"), err
}

func wantRows(t *testing.T, format, text string, o interchange.ImportOptions, want ...string) interchange.Summary {
	t.Helper()
	summary, rows, err := importText(format, text, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	return summary
}

func wantFaults(t *testing.T, format, text string, o interchange.ImportOptions, want ...string) {
	t.Helper()
	_, _, err := importText(format, text, o)
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("error\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
