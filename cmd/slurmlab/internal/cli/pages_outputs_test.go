package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// pandasImage is made by "make image-pandas".
const pandasImage = "slurmlab-pandas:latest"

// examples is the folder of the repository whose files commands of pages read.
const examples = "examples"

// pages runs the steps of pages, and compares or writes what the pages show of them.
type pages struct {
	// repository is the root of this module, work the directory that the steps share, and path the PATH of their commands.
	repository, work, path string

	mu sync.Mutex
	// written are the new texts of outputs by page and line of their marker.
	written map[string]map[int]string
}

// update says that the pages are to be written.
func update() bool { return os.Getenv("UPDATE_PAGES") != "" }

// runAll runs the steps, and writes the pages if that is wanted.
func (p *pages) runAll(t *testing.T, steps []hosttest.Step) {
	t.Helper()
	p.written = map[string]map[int]string{}
	// A reader types the commands in a clone, which has the examples.
	if err := os.Symlink(filepath.Join(p.repository, examples), filepath.Join(p.work, examples)); err != nil {
		t.Fatal(err)
	}
	hosttest.InOrder(steps, func(s hosttest.Step) (made bool) {
		// A step whose commands succeeded has made its files, also where its output differs.
		t.Run(s.String(), func(t *testing.T) {
			p.run(t, s, func() { made = true })
		})
		return made
	}, func(s, failed hosttest.Step) { t.Logf("%s is not run, since %s failed", s, failed) })
	for name, texts := range p.written {
		file := filepath.Join(p.repository, name)
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made, err := hosttest.Write(string(page), texts)
		if err == nil && made != string(page) {
			err = os.WriteFile(file, []byte(made), 0o644)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// transcript is what a step writes to both outputs, in order.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *transcript) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(data)
}

// run runs the step in the directory that all share, or in the repository, calls made when its commands have succeeded, and
// looks at what it shows.
func (p *pages) run(t *testing.T, s hosttest.Step, made func()) {
	if s.Skip != "" {
		t.Logf("not run: %s", s.Skip)
		made()
		return
	}
	// Tests run beside others: runs that these disturb are as good here, and would each be made three times.
	script, dir := strings.ReplaceAll(s.Script, "slurmlab campaign run ", "slurmlab campaign run --repeats 0 "), p.work
	if s.AtTop {
		dir = p.repository
		script = strings.ReplaceAll(script, "make ", "make DEMO="+filepath.Join(p.work, "demo")+" ")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-u", "-c", script)
	if s.Python {
		cmd = exec.CommandContext(t.Context(), "docker", "run", "--rm", "--interactive", "--network=none",
			"--volume", p.work+":/work:ro", "--workdir", "/work", pandasImage, "python3", "-W", "error", "-")
		cmd.Stdin = strings.NewReader(script)
	}
	var stdout bytes.Buffer
	var both transcript
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, p.environment(), io.MultiWriter(&stdout, &both), &both
	err := cmd.Run()
	t.Logf("%s\n%s", script, &both.text)
	if err != nil {
		t.Fatal(err)
	}
	made()
	for _, o := range s.Outputs {
		if err = p.look(s.Page, o, stdout.String()); err != nil {
			t.Errorf("%s:%d: %v", s.Page, o.Line, err)
		}
	}
	for _, picture := range s.Pictures {
		if err = p.show(picture); err != nil {
			t.Errorf("%s:%d: %v", picture.Page, picture.Line, err)
		}
	}
}

// environment has the command that is tested first, and tables that are as wide as in a pipe.
func (p *pages) environment() []string {
	return append(os.Environ(), "COLUMNS=80", "PATH="+p.path)
}

// look compares an output of a page with what its step has printed, or notes what is to be written there.
func (p *pages) look(page string, o hosttest.Output, printed string) error {
	if filter, found := strings.CutPrefix(o.Command, "|"); found {
		cmd := exec.Command("sh", "-e", "-u", "-c", filter)
		cmd.Stdin, cmd.Dir, cmd.Env = strings.NewReader(printed), p.work, p.environment()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", o.Command, err, out)
		}
		printed = string(out)
	}
	shown, err := o.Select(printed)
	if err != nil {
		return err
	}
	if update() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.written[page] == nil {
			p.written[page] = map[int]string{}
		}
		p.written[page][o.Line] = shown
		return nil
	}
	if fault := o.Differ(shown); fault != "" {
		return fmt.Errorf("%s\nread the difference, and let \"make docs PAGE=%s\" write it", fault, page)
	}
	return nil
}

// pictureHead is what two pictures of the same kind share, whatever the runs: size and title.
var pictureHead = regexp.MustCompile(`<svg[^>]*>\s*<title>[^<]*</title>`)

// show compares a picture of a page with the one that its step has made, or copies that one.
func (p *pages) show(picture hosttest.Picture) error {
	file := filepath.Join(p.repository, filepath.Dir(picture.Page), picture.File)
	made, err := os.ReadFile(filepath.Join(p.work, picture.Made))
	if err != nil {
		return err
	}
	if update() {
		return os.WriteFile(file, made, 0o644)
	}
	shown, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if want, got := pictureHead.Find(shown), pictureHead.Find(made); want == nil || !bytes.Equal(want, got) {
		return fmt.Errorf("%s begins with %q, and %s with %q; \"make docs PAGE=%s\" copies it", picture.File, want, picture.Made, got, picture.Page)
	}
	return nil
}

// chosen are the steps of the pages that PAGE names, with those that they need; all without PAGE.
func chosen(steps []hosttest.Step) []hosttest.Step {
	names := os.Getenv("PAGE")
	if names == "" {
		return steps
	}
	return hosttest.Needed(steps, func(i int) bool { return slices.Contains(strings.Split(names, ","), steps[i].Page) })
}

// hosted finds the commands of slurmlab that start no cluster.
var hosted = regexp.MustCompile(`(?m)\bslurmlab (?:(?:machine|workload|policy|plugin|glossary|metrics|report|export|explain|twin|campaign (?:plan|status|report)|djsb describe)\b|paper .*--dry-run)`)

// hostSteps are the steps with an output that need no cluster, nor a step that does, with those that they come after.
func hostSteps(steps []hosttest.Step) []hosttest.Step {
	alone := make([]bool, len(steps))
	for i, earlier := range hosttest.Earlier(steps) {
		s := steps[i]
		alone[i] = s.Skip == "" && !s.AtTop && !s.Python && len(hosted.FindAllString(s.Script, -1)) == strings.Count(s.Script, "slurmlab ")
		for _, j := range earlier {
			alone[i] = alone[i] && alone[j]
		}
	}
	return hosttest.Needed(steps, func(i int) bool { return alone[i] && len(steps[i].Outputs) > 0 })
}

// What pages show of commands that need no cluster is what these print. UPDATE_PAGES=1 writes it, of all pages or of
// those that PAGE names.
func TestOutputsOfPages(t *testing.T) {
	hosttest.Program(t, "python3")
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	// The command is in the PATH of this test (TestMain).
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	p := pages{repository: repository, work: t.TempDir(), path: os.Getenv("PATH")}
	p.runAll(t, hostSteps(chosen(planned(t))))
}
