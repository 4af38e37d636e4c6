package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// The page compares a folder as "campaign report" does, table for table, and leaves it as
// it is.
func TestServeStudy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	if out, err := exec.Command("cp", "-r", "testdata/runs", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, interrupt := context.WithCancelCause(t.Context())
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(&cli.State{Context: ctx, Stop: func() {}, Stdout: write, Stderr: io.Discard}, []string{"serve", folder})
		_ = write.Close()
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) string {
		answer, getErr := http.Get(strings.TrimSpace(address) + path)
		if getErr != nil {
			t.Fatal(getErr)
		}
		defer func() { _ = answer.Body.Close() }()
		body, readErr := io.ReadAll(answer.Body)
		if readErr != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s: %v: %s", path, answer.Status, readErr, body)
		}
		return string(body)
	}
	var list struct{ Folders []struct{ Key string } }
	if err = json.Unmarshal([]byte(get("api/list")), &list); err != nil || len(list.Folders) != 1 {
		t.Fatalf("%v: %+v", err, list)
	}
	at := "api/folder/" + list.Folders[0].Key
	var page struct {
		Findings   []string
		Comparison struct{ Rows [][]string }
		Runs       struct{ Rows [][]string }
	}
	if err = json.Unmarshal([]byte(get(at)), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Findings) == 0 || slices.Contains(page.Findings, "") || len(page.Comparison.Rows) == 0 || len(page.Runs.Rows) != 2 {
		t.Errorf("the page has %+v", page)
	}
	served := map[string]string{"comparison.csv": get(at + "/comparison.csv"), "runs.csv": get(at + "/runs.csv")}
	for name := range served {
		if _, err = os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("serving has written %s", name)
		}
	}
	interrupt(run.ErrStopped)
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	s := &cli.State{Context: t.Context(), Stop: func() {}, Stdout: io.Discard, Stderr: io.Discard}
	if got := cli.Main(s, []string{"campaign", "report", folder}); got != 0 {
		t.Fatalf("campaign report ends with %d", got)
	}
	for name, got := range served {
		if want, readErr := os.ReadFile(filepath.Join(folder, name)); readErr != nil || got != string(want) {
			t.Errorf("%s differs from that of campaign report: %v", name, readErr)
		}
	}
}
