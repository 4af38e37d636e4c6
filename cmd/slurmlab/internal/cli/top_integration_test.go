//go:build integration

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// user types slurmlab commands against the image of Slurm 26.05.
type user struct {
	t              *testing.T
	image, version string
	// interrupt is what Ctrl-C does.
	interrupt func()
}

func newUser(t *testing.T) user {
	image := backendtest.Image(t, backendtest.External())
	found, err := run.Docker{}.Image(t.Context(), image)
	if err != nil {
		t.Fatalf("%v; build the image with: %s", err, backendtest.Remedy(backendtest.External()))
	}
	return user{t: t, image: image, version: found.Version}
}

// types runs a command without a terminal and returns its standard output.
func (u user) types(args ...string) string {
	u.t.Helper()
	var out, complaint bytes.Buffer
	s := &State{Context: context.Background(), Stop: func() {}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &complaint, Version: u.version}
	if code := Main(s, args); code != exitGood {
		u.t.Fatalf("slurmlab %s: exit code %d: %s", strings.Join(args, " "), code, complaint.String())
	}
	return out.String()
}

// fullScreen is a terminal on which a command has the whole picture.
type fullScreen struct {
	user   *os.File
	screen *vt.SafeEmulator
	mu     sync.Mutex
	raw    bytes.Buffer
	// pieces are those of raw, as they came.
	pieces []piece
	code   chan int
}

// piece is how far the output of a command had come at an instant.
type piece struct {
	at  time.Time
	end int
}

// on begins a command on a terminal, to which standard error goes as well.
func (u user) on(ctx context.Context, columns, rows int, args ...string) *fullScreen {
	u.t.Helper()
	user, program := hosttest.Terminal(u.t, rows, columns)
	f := &fullScreen{user: user, screen: vt.NewSafeEmulator(columns, rows), code: make(chan int, 1)}
	go func() {
		for data := make([]byte, 4096); ; {
			n, readErr := user.Read(data)
			f.mu.Lock()
			f.raw.Write(data[:n])
			f.pieces = append(f.pieces, piece{time.Now(), f.raw.Len()})
			f.mu.Unlock()
			_, _ = f.screen.Write(data[:n])
			if readErr != nil {
				return
			}
		}
	}()
	// A terminal answers questions about itself.
	go func() { _, _ = io.Copy(user, f.screen) }()
	s := &State{Context: ctx, Stop: func() {}, Interrupt: u.interrupt, Stdin: program, Stdout: program, Stderr: program, Terminal: true, Version: u.version}
	go func() { f.code <- Main(s, args) }()
	return f
}

// text is what the terminal shows.
func (f *fullScreen) text() string { return ansi.Strip(f.screen.Render()) }

// shows waits until the terminal shows something.
func (f *fullScreen) shows(t *testing.T, want string) {
	t.Helper()
	hosttest.UntilOr(t, func() bool { return strings.Contains(f.text(), want) }, func() string {
		return fmt.Sprintf("no %q on the terminal, but\n%s", want, f.text())
	})
}

func (f *fullScreen) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := f.user.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// endsWith waits for the exit code.
func (f *fullScreen) endsWith(t *testing.T, want int) {
	t.Helper()
	select {
	case code := <-f.code:
		if code != want {
			t.Errorf("exit code %d, want %d; the terminal shows\n%s", code, want, f.text())
		}
	case <-time.After(2 * hosttest.Hang):
		t.Fatalf("the command does not end; the terminal shows\n%s", f.text())
	}
}

// anyCore gives a cluster that is watched no core of its own: it waits for real time and for the watcher, and would keep
// other clusters waiting for that core.
func anyCore(args ...string) []string { return append(args, "--core", "none") }

// TestTop watches a living cluster, as text and on a terminal without colours, and moves
// its clock.
func TestTop(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Setenv("TERM", "xterm-256color")
	u := newUser(t)
	name := fmt.Sprintf("test-top-%d", os.Getpid())
	t.Cleanup(func() { u.types("down", "--name", name) })
	u.types(anyCore("up", "--backend", string(backendtest.External().Form), "--image", u.image, "--machine", "S", "--clock", "jump", "--policy", "auction", "--name", name)...)
	submit := func(args ...string) {
		u.types(append([]string{"shell", "--name", name, "--", "sbatch", "-t", "120", "--wrap", "sleep 6000"}, args...)...)
	}
	submit("-N", "64", "-n", "512", "--gres=gpu:2")
	var text string
	hosttest.UntilOr(t, func() bool {
		text = u.types("top", name, "--once")
		return strings.Contains(text, "1 job running")
	}, func() string { return "the job does not start:\n" + text })
	submit("-N", "128", "-n", "1024")
	text = u.types("top", name, "--once")
	for _, want := range []string{
		name + "  2029-01-01", "jump clock held", "auction  priority/basic", "128 nodes  cores 512 of 1024, 50 %  GPUs 128 of 256, 50 %",
		"\ncores " + strings.Repeat("█", 64) + strings.Repeat("·", 10) + "\n", "in cycle ", "1 job waiting", "1 job running",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("control sequences in the text %q", text)
	}

	t.Setenv("NO_COLOR", "")
	f := u.on(t.Context(), 120, 30, "top", name)
	f.shows(t, "128 nodes with 1 core, 64 free")
	f.shot(t, "top")
	f.press(t, "q")
	f.endsWith(t, exitGood)

	t.Setenv("NO_COLOR", "1")
	f = u.on(t.Context(), 100, 30, "top", name)
	f.shows(t, "128 nodes with 1 core, 64 free")
	f.shows(t, "jump clock held")
	f.press(t, "+")
	// 6000 s of virtual time that would be 100 min of real time.
	f.shows(t, "0 jobs waiting")
	f.press(t, "-")
	f.shows(t, "the clock is held at the speed of real time")
	f.shows(t, "jump clock held")
	f.press(t, "q")
	f.endsWith(t, exitGood)
	f.mu.Lock()
	raw := f.raw.String()
	f.mu.Unlock()
	if colour := regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|9[0-7])(;[0-9;]*)?m`).FindString(raw); colour != "" {
		t.Errorf("a colour in spite of NO_COLOR: %q", colour)
	}
	if status := u.types("shell", "--name", name, "--", "sh", "-c", "ps ax | grep -c '[s]lurmlabd watch' || true"); strings.TrimSpace(status) != "0" {
		t.Errorf("%s watchers are left in the cluster", strings.TrimSpace(status))
	}

	// Ctrl-C, which is a key on such a terminal, leaves; so does the end of the command.
	f = u.on(t.Context(), 100, 30, "top", name)
	f.shows(t, "running")
	f.press(t, "\x03")
	f.endsWith(t, exitGood)
	ctx, stop := context.WithCancelCause(t.Context())
	f = u.on(ctx, 100, 30, "top", name)
	f.shows(t, "running")
	stop(run.ErrStopped)
	f.endsWith(t, exitInterrupted)
}

// uiJobs take long enough to be looked at under the real clock.
const uiJobs = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class\n" +
	"1,0,600,1200,0,512,0,0,0,0,a\n2,0,600,1200,0,768,0,1,1,0,a\n3,0,600,1200,0,256,0,0,0,0,a\n4,300,900,1200,0,1024,0,2,2,0,a\n"

// TestUI watches a run under the real clock, whose pace is that of people, lets it be, and
// stops it; and a campaign.
func TestUI(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	u := newUser(t)
	dir := t.TempDir()
	jobs := filepath.Join(dir, "jobs.csv")
	if err := os.WriteFile(jobs, []byte(uiJobs), 0o600); err != nil {
		t.Fatal(err)
	}
	args := anyCore("run", "--ui", "--backend", string(backendtest.External().Form), "--image", u.image, "--machine", "S", "--workload", jobs, "--policy", "auction")
	out := filepath.Join(dir, "stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	u.interrupt = func() { stop(run.ErrStopped) }
	f := u.on(ctx, 120, 36, append(args, "--clock", "real", "--out", out)...)
	f.shows(t, "waiting for the first look")
	f.shows(t, "jobs running")
	f.shows(t, "0 of 4 done")
	f.shows(t, " in cycle ")
	// The picture goes, the run stays.
	f.press(t, "q")
	f.gone(t, "WAITS FOR")
	f.shows(t, "0 of 4 done")
	stop(run.ErrStopped)
	f.endsWith(t, exitInterrupted)
	u.incomplete(out)

	// Ctrl-C in the picture stops the run as without it.
	out = filepath.Join(dir, "interrupted")
	ctx, stop = context.WithCancelCause(t.Context())
	u.interrupt = func() { stop(run.ErrStopped) }
	f = u.on(ctx, 120, 36, append(args, "--clock", "real", "--out", out)...)
	f.shows(t, "WAITS FOR")
	f.press(t, "\x03")
	f.shows(t, "stopping: ")
	f.endsWith(t, exitInterrupted)
	u.incomplete(out)

	u.campaign(dir)
}

// campaign watches a campaign of one run, stops it, and goes on with it under the jump clock, which
// it holds and lets go. The jobs take 4 hours of virtual time: at the speed of real time, the
// command would not end within the test.
func (u user) campaign(dir string) {
	t := u.t
	name := fmt.Sprintf("test-ui-%d", os.Getpid())
	for file, text := range map[string]string{
		name + ".csv": strings.ReplaceAll(strings.ReplaceAll(uiJobs, ",600,1200,", ",14400,15000,"), ",900,1200,", ",900,15000,"),
		"study.yaml":  "machines: S\nworkloads: " + name + ".csv\nbackend: " + string(backendtest.External().Form) + "\npolicies: auction\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "study")
	ctx, stop := context.WithCancelCause(t.Context())
	u.interrupt = func() { stop(run.ErrStopped) }
	f := u.on(ctx, 120, 36, anyCore("campaign", "run", filepath.Join(dir, "study.yaml"), "--ui", "--image", u.image, "--repeats", "0", "--out", out)...)
	f.shows(t, "WAITS FOR")
	f.press(t, "\x03")
	f.endsWith(t, exitInterrupted)

	f = u.on(t.Context(), 120, 36, anyCore("campaign", "run", out, "--ui", "--image", u.image, "--repeats", "0")...)
	f.shows(t, "2 jobs running")
	f.press(t, "-")
	f.shows(t, "jump clock held")
	f.press(t, "+")
	f.gone(t, "jump clock held")
	f.press(t, "p")
	f.shows(t, "the clock held at the speed of real time")
	runs, err := filepath.Glob(filepath.Join(out, "S-*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, runs %q, want one", err, runs)
	}
	var text string
	hosttest.UntilOr(t, func() bool {
		text = u.types("top", filepath.Base(runs[0]), "--once")
		return strings.Contains(text, "jump clock held")
	}, func() string { return "a pause does not hold the clock of the run:\n" + text })
	f.press(t, "p")
	f.shows(t, "the picture goes on")
	f.press(t, "-")
	f.shows(t, "jump clock held")
	// Who leaves the picture lets the run go on at its own pace.
	f.press(t, "q")
	f.endsWith(t, exitGood)
	f.shows(t, "The campaign is complete: 1 run in ")
}

// TestUICompares watches two policies one after the other, beside each other.
func TestUICompares(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	u := newUser(t)
	dir := t.TempDir()
	jobs := filepath.Join(dir, "jobs.csv")
	// Half as long: with 60 virtual seconds in a real one, a run takes a quarter of a minute. The limits are 100 s of real time:
	// on a busy machine a job ends seconds late.
	halved := strings.NewReplacer(",0,600,1200,", ",0,300,6000,", ",300,900,1200,", ",150,450,6000,").Replace(uiJobs)
	if err := os.WriteFile(jobs, []byte(halved), 0o600); err != nil {
		t.Fatal(err)
	}
	f := u.on(t.Context(), 160, 36, anyCore("compare", "--ui", "--backend", string(backendtest.External().Form), "--image", u.image, "--machine", "S", "--workload", jobs,
		"--policies", "backfill,auction", "--parallel", "1", "--clock", "scaled", "--time-scale", "60", "--out", filepath.Join(dir, "both"))...)
	f.shows(t, " │ ")
	f.shows(t, "running")
	f.shows(t, " in cycle ")
	f.shows(t, "sched/backfill")
	f.sideBySide(t)
	f.shot(t, "compare-ui")
	f.endsWith(t, exitGood)
	f.record(t, "compare-ui")
}

// sideBySide waits until both runs are shown at the same time after their beginning.
func (f *fullScreen) sideBySide(t *testing.T) {
	t.Helper()
	head := regexp.MustCompile(`(?m)^backfill .*  \+(\S+)  scaled.* │ auction .*  \+(\S+)  scaled`)
	hosttest.UntilOr(t, func() bool {
		found := head.FindStringSubmatch(f.text())
		if found == nil {
			return false
		}
		first, err := time.ParseDuration(found[1])
		second, otherErr := time.ParseDuration(found[2])
		if err != nil || otherErr != nil {
			t.Fatal(err, otherErr)
		}
		return (first - second).Abs() <= 2*time.Second
	}, func() string { return "the runs are not shown at the same time, but\n" + f.text() })
}

// incomplete checks that a stopped run has its record.
func (u user) incomplete(dir string) {
	u.t.Helper()
	record, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil || !strings.Contains(string(record), "interrupted by the user") {
		u.t.Errorf("%v, the record of a stopped run is\n%s", err, record)
	}
}

// gone waits until the terminal no longer shows something.
func (f *fullScreen) gone(t *testing.T, what string) {
	t.Helper()
	hosttest.UntilOr(t, func() bool { return !strings.Contains(f.text(), what) }, func() string {
		return fmt.Sprintf("%q stays on the terminal:\n%s", what, f.text())
	})
}
