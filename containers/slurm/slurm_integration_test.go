//go:build integration

package slurm_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func ExampleRun() {
	ctx := context.Background()
	cluster, err := slurm.Run(ctx, cmp.Or(os.Getenv("IMAGE"), "slurmlab:latest"), slurm.WithMachine(1024, 8, 2))
	defer func() {
		if cluster != nil {
			_ = testcontainers.TerminateContainer(cluster)
		}
	}()
	if err != nil {
		log.Print(err)
		return
	}
	out, err := cluster.Run(ctx, nil, "sinfo", "-h", "-o", "%D nodes %t")
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Print(string(out))
	// Output: 1024 nodes idle
}

// held is the scheduler of a cluster whose jobs are held.
func held(t *testing.T) conf.Scheduler {
	t.Helper()
	auction, err := policy.Find(policy.Auction)
	if err != nil {
		t.Fatal(err)
	}
	return auction.Scheduler
}

// start starts a cluster of the quick kind.
func start(t *testing.T, opts ...testcontainers.ContainerCustomizer) *slurm.Container {
	t.Helper()
	return backendtest.Start(t, backendtest.Quick(), opts...)
}

// A cluster tells the stages of its boot in order, and before it is ready.
func TestStages(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, on backend.Backend) {
		t.Parallel()
		var told []string
		backendtest.Start(t, on, slurm.WithMachine(4, 8, 2), slurm.WithStages(func(stage string) { told = append(told, stage) }))
		want := []string{"1/5 database", "2/5 slurmdbd", "3/5 slurmctld", "4/5 " + backendtest.Nodes(on).Programs[0].Part, "5/5 nodes"}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

func run(t *testing.T, c *slurm.Container, argv ...string) string {
	t.Helper()
	out, err := c.Run(t.Context(), nil, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Two clusters side by side do not disturb each other: other machine, other
// clock, other queue.
func TestTwoClusters(t *testing.T) {
	a := start(t, slurm.WithMachine(16, 8, 2))
	b := start(t, slurm.WithMachine(32, 12, 0), slurm.WithClock(scaled), slurm.WithScheduler(held(t)))
	run(t, a, "submit", "100", "-n", "4", "-t", "5", "-o", "/dev/null")
	if got := run(t, b, "squeue", "-h"); got != "" {
		t.Errorf("the job of one cluster is in the queue of the other: %s", got)
	}
	if got := run(t, a, "sinfo", "-h", "-o", "%D %c %G"); got != "16 8 gpu:2" {
		t.Errorf("first machine: %s", got)
	}
	if got := run(t, b, "sinfo", "-h", "-o", "%D %c %G"); got != "32 12 (null)" {
		t.Errorf("second machine: %s", got)
	}
	// A job of the second is held for its external scheduler.
	run(t, b, "submit", "100", "-n", "4", "-t", "5", "-o", "/dev/null")
	if got := run(t, b, "squeue", "-h", "-o", "%T %r"); got != "PENDING JobHeldUser" {
		t.Errorf("job of an external scheduler is %s", got)
	}
}

// The clock runs at its scale for Slurm and for its clients.
func TestScaledClock(t *testing.T) { backendtest.Each(t, testScaledClock) }

func testScaledClock(t *testing.T, on backend.Backend) {
	c := backendtest.Start(t, on, slurm.WithMachine(4, 8, 0), slurm.WithClock(scaled))
	if from, to := twoTimes(t, c, "date +%s.%N; sleep 40; date +%s.%N"); to-from < 40 {
		t.Errorf("a sleep of 40 virtual seconds took %g", to-from)
	}
	// Each time is of an instant between the question and the answer, however long these take.
	asks, questions := io.Pipe()
	answers, says := io.Pipe()
	told := bufio.NewReader(answers)
	go func() {
		_, err := c.Stream(t.Context(), nil, asks, says, io.Discard, "slurmlabd", "exec", "--", "sh", "-c", "while read -r _; do date +%s.%N; done")
		_ = says.CloseWithError(cmp.Or(err, io.EOF))
	}()
	look := func() (asked, answered time.Time, virtual float64) {
		asked = time.Now()
		_, err := io.WriteString(questions, "now\n")
		if err == nil {
			_, err = fmt.Fscan(told, &virtual)
		}
		if err != nil {
			t.Fatal(err)
		}
		return asked, time.Now(), virtual
	}
	firstAsked, firstAnswered, from := look()
	time.Sleep(2 * time.Second)
	lastAsked, lastAnswered, to := look()
	_ = questions.Close()
	// faketime counts from a start that it rounds, and real clocks of two processes differ by microseconds.
	const slack = 0.1
	least, most := 20*lastAsked.Sub(firstAnswered).Seconds()-slack, 20*lastAnswered.Sub(firstAsked).Seconds()+slack
	if virtual := to - from; virtual < least || virtual > most {
		t.Errorf("%g virtual seconds passed, want %g to %g", virtual, least, most)
	}
}

var scaled = clock.Settings{Kind: clock.KindScaled, TimeScale: 20}

// twoTimes runs a script that prints two numbers.
func twoTimes(t *testing.T, c *slurm.Container, script string) (from, to float64) {
	t.Helper()
	out, err := c.Run(t.Context(), []byte(script), "bash", "-e", "-s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(out), &from, &to); err != nil {
		t.Fatal(err)
	}
	return from, to
}

// The jump clock starts at the chosen date, also one before MariaDB's own
// birth; it skips what is idle, exactly, and goes on after its controller was
// killed.
func TestJumpClock(t *testing.T) { backendtest.Each(t, testJumpClock) }

func testJumpClock(t *testing.T, on backend.Backend) {
	start2001 := time.Date(2001, time.September, 9, 1, 46, 40, 0, time.UTC)
	c := backendtest.Start(t, on, slurm.WithMachine(4, 8, 0), slurm.WithCore(0),
		slurm.WithClock(clock.Settings{Kind: clock.KindJump, Start: start2001}))
	for _, before := range []string{"", "pkill -9 vclockd\n"} {
		began := time.Now()
		from, to := twoTimes(t, c, before+`slurmlabd clock go
date +%s.%N; sleep 7200; date +%s.%N
slurmlabd clock hold
`)
		real := time.Since(began).Seconds()
		virtual := to - from
		if virtual < 7200 || virtual > 7200+real || virtual/real < 10 {
			t.Errorf("after %q: %g virtual seconds in %g real ones, want 7200 much faster, and no more than the real ones beside", before, virtual, real)
		}
		if passed := from - float64(start2001.Unix()); passed < 0 || passed > 10_000 {
			t.Errorf("after %q: the clock shows %g s after its start", before, passed)
		}
	}
	if status := run(t, c, "slurmlabd", "clock", "status"); !strings.Contains(status, "2001-09-09T") {
		t.Errorf("status does not show the date:\n%s", status)
	}
}

// "A controller F times faster": the same computing takes a tenth of the virtual time with a CPU speed factor ten
// times as large. The clusters compute in turns, so that other load on the machine is the same for both.
func TestThinkScale(t *testing.T) {
	const repetitions = 9
	scales := []float64{1, 10}
	var clusters []*slurm.Container
	for _, scale := range scales {
		clusters = append(clusters, start(t, slurm.WithMachine(4, 8, 0), slurm.WithCore(0),
			slurm.WithClock(clock.Settings{Kind: clock.KindJump, ThinkScale: scale})))
	}
	took := make([][]float64, len(scales))
	for range repetitions {
		for i, c := range clusters {
			from, to := twoTimes(t, c, "date +%s.%N; for ((i = 0; i < 300000; i++)); do :; done; date +%s.%N")
			took[i] = append(took[i], to-from)
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	slow, quick := took[0][repetitions/2], took[1][repetitions/2]
	if ratio := slow / quick; ratio < 5 || ratio > 20 {
		t.Errorf("computing took %g s and, ten times faster, %g s: medians of %v", slow, quick, took)
	}
}

// No port is published and nothing runs privileged.
func TestConfinement(t *testing.T) {
	t.Parallel()
	c := start(t, slurm.WithMachine(4, 8, 0))
	info, err := c.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.HostConfig.Privileged || len(info.HostConfig.PortBindings) > 0 || info.HostConfig.PublishAllPorts || !slices.Contains(info.HostConfig.CapDrop, "ALL") {
		t.Errorf("host config %+v", info.HostConfig)
	}
	for port, bindings := range info.NetworkSettings.Ports {
		if len(bindings) > 0 {
			t.Errorf("port %v is published as %v", port, bindings)
		}
	}
	// A cluster belongs to the checkout that started it, even with another checkout's image.
	if label, there := info.Config.Labels[slurm.CheckoutLabel]; !there || label != os.Getenv(slurm.CheckoutVariable) {
		t.Errorf("the cluster is of checkout %q, want %q", label, os.Getenv(slurm.CheckoutVariable))
	}
}

func TestStreamAndExitCodes(t *testing.T) {
	t.Parallel()
	c := start(t, slurm.WithMachine(4, 8, 0))
	var out, complaints bytes.Buffer
	code, err := c.Stream(t.Context(), nil, strings.NewReader("hello\n"), &out, &complaints, "sh", "-c", "cat; echo oops >&2; exit 7")
	if err != nil || code != 7 || out.String() != "hello\n" || complaints.String() != "oops\n" {
		t.Errorf("code %d, %v, stdout %q, stderr %q", code, err, out.String(), complaints.String())
	}
	// The end of the context closes the input; what the command says then is
	// still read.
	ctx, cancel := context.WithCancel(t.Context())
	silence, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	said := &atFirst{act: cancel}
	code, err = c.Stream(ctx, nil, silence, said, &complaints, "sh", "-c", "echo begins; cat; echo bye")
	if err != nil || code != 0 || said.String() != "begins\nbye\n" {
		t.Errorf("code %d, %v, stdout %q", code, err, said.String())
	}
	var exit *slurm.ExitError
	if _, err := c.Run(t.Context(), nil, "submit", "1", "--partition=nowhere"); !errors.As(err, &exit) || exit.Code == 0 {
		t.Errorf("an impossible job gives %v", err)
	}
}

// atFirst acts as soon as something is written to it.
type atFirst struct {
	bytes.Buffer
	act func()
}

func (w *atFirst) Write(data []byte) (int, error) {
	w.act()
	return w.Buffer.Write(data)
}

func TestCopyDirReadsLogs(t *testing.T) {
	t.Parallel()
	c := start(t, slurm.WithMachine(4, 8, 0))
	sizes := map[string]int64{}
	err := c.CopyDir(t.Context(), "/var/log/slurm", func(name string, data io.Reader) error {
		n, copyErr := io.Copy(io.Discard, data)
		sizes[name] = n
		return copyErr
	})
	if err != nil || sizes["slurmctld.log"] == 0 || sizes["slurmdbd.log"] == 0 {
		t.Errorf("sizes %v, %v", sizes, err)
	}
	if err := c.CopyDir(t.Context(), "/nowhere", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

// A start that fails says what the container said, and leaves a container to
// terminate.
func TestFailedStartTellsWhy(t *testing.T) {
	image := backendtest.Image(t, backendtest.Quick())
	c, err := slurm.Run(t.Context(), image,
		testcontainers.WithEnv(map[string]string{slurm.SpecVariable: "{broken"}))
	if c != nil {
		testcontainers.CleanupContainer(t, c)
	}
	if err == nil || !strings.Contains(err.Error(), slurm.SpecVariable) {
		t.Errorf("error %v, want it to name %s", err, slurm.SpecVariable)
	}
	if _, err := slurm.Run(t.Context(), image, slurm.WithMachine(0, 8, 2)); err == nil || !strings.Contains(err.Error(), "nodes: 0") {
		t.Errorf("error %v, want it to name the field", err)
	}
}

// A configuration that Slurm refuses is reported at once and in Slurm's words: 26.05 has no front ends.
func TestRefusedConfiguration(t *testing.T) {
	t.Parallel()
	c, err := slurm.Run(t.Context(), backendtest.Image(t, backendtest.External()), slurm.WithBackend(backendtest.FrontEnd()), slurm.WithMachine(4, 8, 0))
	if c != nil {
		testcontainers.CleanupContainer(t, c)
	}
	if err == nil || !strings.Contains(err.Error(), "Slurm refuses the configuration: ") || !strings.Contains(err.Error(), "FrontendName") {
		t.Errorf("got %v, want that Slurm refuses FrontendName", err)
	}
}

// For Slurm, a job held by a plugin is held by its user, who could release it. job_submit.lua keeps owners from
// slipping past the external scheduler, but from nothing else.
func TestOwnerCannotSlipPastTheScheduler(t *testing.T) {
	backendtest.Each(t, testOwner)
}

func testOwner(t *testing.T, on backend.Backend) {
	t.Parallel()
	c := backendtest.Start(t, on, slurm.WithMachine(4, 8, 0), slurm.WithScheduler(held(t)))
	script := `useradd owner
cat > /tmp/owner.sh <<'END'
PATH=/opt/slurm/bin:$PATH
id=$(submit 10 --parsable -n 4 -t 10 -o /dev/null)
for change in "release $id" "update JobId=$id Priority=100" "update JobId=$id NodeList=n1" "update JobId=$id StartTime=now" "update JobId=$id TimeLimit=5"; do
	scontrol $change >/dev/null 2>&1 && echo "allowed: ${change%% *} ${change##* }" || echo "refused: ${change%% *} ${change##* }"
done
END
su owner -s /bin/sh /tmp/owner.sh
squeue -h -o '%T %r'
`
	out, err := c.Run(t.Context(), []byte(script), "bash", "-s")
	if err != nil {
		t.Fatal(err)
	}
	want := `refused: release 1
refused: update Priority=100
refused: update NodeList=n1
refused: update StartTime=now
allowed: update TimeLimit=5
PENDING JobHeldUser
`
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
