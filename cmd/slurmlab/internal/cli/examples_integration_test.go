//go:build integration

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// The first example of each --help that needs a cluster works as it stands after "make demo" and without building anything, in
// this order and beside files with the names that it has. Before an example runs what its user has done before.
func TestFirstExamplesOnClusters(t *testing.T) {
	hosttest.Long(t, "runs the first examples of help on clusters")
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(repository, "build") + ":" + os.Getenv("PATH")
	dir := folderOfExamples(t)
	examples := []struct{ command, before string }{
		{"doctor", ""}, {"image list", ""}, {"image unpack", ""},
		{"image load", "docker save slurmlab:latest >slurmlab-0.1.0-image-26.05.tar"},
		{"up", ""}, {"status", ""}, {"shell", ""}, {"top", ""}, {"down", ""},
		{"run", ""},
		{"explain", "rm -r runs/demo-1 && slurmlab run --machine S --workload V.2 --policy auction --out runs/demo-2/S-V.2-auction-seed1"},
		{"compare", ""}, {"serve", ""},
		{"campaign run", ""}, {"campaign status", ""}, {"campaign report", ""},
		{"dev solve", "slurmlab run --machine S --workload V.2 --policy auction --set dump_models=true --out runs/S-V.2-auction-seed1"},
		{"dev clocks", "for clock in real jump; do slurmlab run --machine S --workload V.2 --theoretical-runtime 1m " +
			"--policy backfill --clock $clock --out truth/$clock-1 || exit; done"},
		{"twin check", "slurmlab workload import dump.txt --format sacct --machine mine.yaml --until 1h --out week.csv && " +
			"slurmlab run --machine mine.yaml --workload week.csv --policy backfill --out week"},
		{"djsb run", ""}, {"djsb report", "mv runs/djsb-figure3-* runs/djsb-figure3-20260101-120000"},
		{"paper ipsched", ""}, {"paper aucsched", ""}, {"paper aucsched2", ""},
	}
	lines, here := map[string]string{}, regexp.MustCompile(`^`+withCluster+`$`)
	walk(func(c *cobra.Command) {
		if name := strings.TrimPrefix(c.CommandPath(), "slurmlab "); ours(c) && c.Runnable() && here.MatchString(c.CommandPath()) {
			lines[name] = firstExample(c)
			if !slices.ContainsFunc(examples, func(e struct{ command, before string }) bool { return e.command == name }) {
				t.Errorf("the first example of %s does not run", name)
			}
		}
	})
	for _, e := range examples {
		t.Run(e.command, func(t *testing.T) {
			if lines[e.command] == "" {
				t.Fatal("no such command of clusters has an example")
			}
			script := e.before + "\n" + lines[e.command]
			switch e.command {
			case "serve":
				// It serves until Ctrl-C.
				script = "timeout --preserve-status --signal=INT 5 " + script[1:] + " || test $? = 130"
			case "top":
				// It fills a terminal until the key q.
				script = "(sleep 5; printf q) | script --quiet --return --command '" + script[1:] + "' /dev/null"
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", script, err, out)
			}
		})
	}
}
