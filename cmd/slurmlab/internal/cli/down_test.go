package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// keepsFiles is the id of the container that has the files of a run, goes the id of one that has nothing.
const (
	keepsFiles = "0123456789abcdef"
	goes       = "fedcba9876543210"
)

// engine answers as Docker does with two containers, and notes which are removed. Real
// containers of others must not be at stake in a test of --all.
func engine(t *testing.T, dir string) *[]string {
	t.Helper()
	var removed []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		switch {
		case strings.HasSuffix(r.URL.Path, "/containers/json"):
			list := []map[string]any{
				{"Id": keepsFiles, "State": "exited", "Labels": map[string]string{
					slurm.RoleLabel: slurm.RoleRun, slurm.NameLabel: "kept", slurm.OwnerLabel: run.OwnerOf(dir),
				}},
				{"Id": goes, "State": "running", "Labels": map[string]string{slurm.RoleLabel: slurm.RoleUp, slurm.NameLabel: "default"}},
			}
			list = slices.DeleteFunc(list, func(c map[string]any) bool { return !labelled(r, c["Labels"].(map[string]string)) })
			if err := json.NewEncoder(w).Encode(list); err != nil {
				t.Error(err)
			}
		case strings.HasSuffix(r.URL.Path, "/containers/"+keepsFiles+"/json"):
			found := map[string]any{"Id": keepsFiles, "State": map[string]any{"Status": "exited", "FinishedAt": "2026-11-21T09:58:14Z"}}
			if err := json.NewEncoder(w).Encode(found); err != nil {
				t.Error(err)
			}
		case r.Method == http.MethodDelete:
			removed = append(removed, filepath.Base(r.URL.Path))
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_HOST", strings.Replace(server.URL, "http", "tcp", 1))
	return &removed
}

// labelled says that labels are those that a list is asked for: "key" or "key=value".
func labelled(r *http.Request, labels map[string]string) bool {
	var filters struct{ Label map[string]bool }
	if err := json.Unmarshal([]byte(r.URL.Query().Get("filters")), &filters); err != nil {
		return true
	}
	for asked := range filters.Label {
		key, value, exact := strings.Cut(asked, "=")
		if has, known := labels[key]; !known || exact && has != value {
			return false
		}
	}
	return true
}

// A wrong name of a cluster is answered with the names of those that run. Of runs, "top" alone shows the picture.
func TestUnknownClusterNamesTheOthers(t *testing.T) {
	removed := engine(t, t.TempDir())
	for command, want := range map[string]string{
		"status --name other": `name: no cluster "other" is up; start it with: slurmlab up --name other; running: default`,
		"shell --name other":  `name: no cluster "other" is up; start it with: slurmlab up --name other; running: default`,
		"down --name other":   `name: no cluster "other" is up; running: default`,
		"top other":           `name: no cluster "other" is running; running: default`,
		"status other":        "status takes no arguments: got \"other\"; a cluster's name is a flag: --name other\nsee: slurmlab status --help",
	} {
		var out bytes.Buffer
		cmd := root(&State{Context: t.Context(), Stdout: &out, Stderr: &out})
		cmd.SetArgs(strings.Fields(command))
		if err := cmd.ExecuteContext(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", command, err, want)
		}
	}
	if len(*removed) > 0 {
		t.Errorf("removed %v, want nothing removed", *removed)
	}
}

// "down --all" does not remove a container that keeps the only files of a run without
// being told to.
func TestDownKeepsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	if err := os.CopyFS(dir, os.DirFS("testdata/runs/S-V.2-backfill-seed1")); err != nil {
		t.Fatal(err)
	}
	run, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	record, err := run.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	record.Status, record.Reason, record.Ended, record.Container = trace.StatusIncomplete, "not copied", true, keepsFiles
	if err = run.WriteRun(record); err != nil {
		t.Fatal(err)
	}
	removed := engine(t, dir)

	down := func(args ...string) (string, error) {
		var stdout, stderr bytes.Buffer
		cmd := root(&State{Context: t.Context(), Stdout: &stdout, Stderr: &stderr})
		cmd.SetArgs(append([]string{"down"}, args...))
		failed := cmd.ExecuteContext(t.Context())
		return stdout.String(), failed
	}
	want := "all: nothing is removed, because a container keeps the only files of run kept (container 0123456789ab)\n" +
		"  fetch them with: slurmlab run --resume " + dir + "\n  or lose them with: slurmlab down --all --force"
	if _, err = down("--all"); err == nil || err.Error() != want || len(*removed) > 0 {
		t.Fatalf("error %v, removed %v, want nothing removed and\n%s", err, *removed, want)
	}
	if out, err := down("--all", "--force"); err != nil || out != "removed 2 cluster(s)\n" || len(*removed) != 2 {
		t.Fatalf("with --force: %q, error %v, removed %v", out, err, *removed)
	}
}
