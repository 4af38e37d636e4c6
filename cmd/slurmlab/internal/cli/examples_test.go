package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// withCluster are the commands whose first example needs an engine, a cluster, or runs that it has made
// (TestFirstExamplesOnClusters).
const withCluster = `slurmlab (run|compare|up|top|status|shell|down|doctor|serve|explain|campaign (run|status|report)|paper \w+|` +
	`djsb (run|report)|twin check|image \w+|dev \w+)`

// The first example of each --help works as it stands, beside files with the names that it has.
func TestFirstExamplesWork(t *testing.T) {
	hosttest.Program(t, "python3")
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	folder := folderOfExamples(t)
	ran := 0
	walk(func(c *cobra.Command) {
		if !ours(c) || !c.Runnable() || firstExample(c) == "" || regexp.MustCompile(`^`+withCluster+`$`).MatchString(c.CommandPath()) {
			return
		}
		example := firstExample(c)
		ran++
		t.Run(c.CommandPath(), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			made := regexp.MustCompile(`--out (\S+)`).FindAllStringSubmatch(example, -1)
			if strings.Contains(example, "--new-key") {
				made = append(made, regexp.MustCompile(`--key-file (\S+)`).FindAllStringSubmatch(example, -1)...)
			}
			for _, name := range made {
				if err := os.RemoveAll(filepath.Join(dir, name[1])); err != nil {
					t.Fatal(err)
				}
			}
			shellIn(t, dir, example)
		})
	})
	if ran < 27 {
		t.Errorf("%d examples ran; there are more", ran)
	}
}

// firstExample is the first line of the examples that has the command itself.
func firstExample(c *cobra.Command) string {
	for line := range strings.SplitSeq(strings.ReplaceAll(c.Example, "\\\n", " "), "\n") {
		for _, args := range commandsOf(line) {
			if cmd, err := knownCommand(args); err == nil && cmd.CommandPath() == c.CommandPath() {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// folderOfExamples has the files that examples name: a site's own, what an import makes of them, a campaign and two runs.
func folderOfExamples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copies := map[string]string{
		"dump.txt": "examples/whatif/sacct.txt", "campus.yaml": "examples/traces/small.yaml", "my_scheduler.py": "examples/plugins/bestfit.py",
	}
	for _, name := range []string{"slurm.conf", "gres.conf", "qos.txt", "assoc.cfg", "sacct.txt"} {
		copies[name] = "examples/whatif/" + name
	}
	for name, of := range copies {
		text, err := os.ReadFile(filepath.Join(top, of))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"events.txt": "NodeName|TimeStart|TimeEnd|State|Reason\ncn01|2026-03-02T05:00:00|2026-03-02T06:00:00|DRAIN|fan\n",
		"study.yaml": "machines: S\nworkloads: V.2\ntheoretical_runtime: 5m\nseeds: 2\npolicies: [backfill, auction]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "runs/demo-1"), os.DirFS("testdata/runs")); err != nil {
		t.Fatal(err)
	}
	shellIn(t, dir, "slurmlab whatif init slurm.conf gres.conf qos.txt assoc.cfg sacct.txt --out mine && "+
		"cp mine/machine.yaml mine.yaml && cp mine/machine.yaml mine/policy.yaml . && cp mine/whatif.yaml site.yaml && "+
		"slurmlab workload export V.2 --machine L --format swf | gzip >trace.swf.gz && "+
		"slurmlab workload anonymise dump.txt --key-file site.key --new-key --out anonymous.txt")
	return dir
}

func shellIn(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
}
