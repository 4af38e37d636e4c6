package clock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// TestMain lets the test program play vclockd where it is called by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == controller {
		if err := playController(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// playController does what Start needs of vclockd. It refuses the CPU speed factor 666 and does not get ready at 667.
func playController(args []string) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	all := strings.Join(args, " ")
	switch {
	case strings.Contains(all, "--think-scale 666"):
		return errors.New("vclockd: no such think scale")
	case strings.Contains(all, "--think-scale 667"):
		fmt.Println("vclockd: something else")
		<-stop
		return nil
	}
	path := args[slices.Index(args, "--page")+1]
	p, err := mapPage(path)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(path+".args", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(log, all); err != nil {
		return err
	}
	if slices.Contains(args, "--attach") {
		p.takeovers.Add(1)
	}
	p.controller = int32(os.Getpid())
	fmt.Print(readyLine)
	<-stop
	p.controller = 0
	return nil
}

// install makes the test program the vclockd of the PATH and returns a page for
// it.
func install(t *testing.T) (path string, p *page) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, controller)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	path = filepath.Join(dir, "page")
	return path, newPage(t, path, frozen)
}

func TestStartJump(t *testing.T) {
	path, p := install(t)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	settings := Settings{Kind: KindJump, ThinkScale: 2.5, Rounds: map[string]time.Duration{"b": 1500 * time.Millisecond, "a": time.Minute}}
	c, env, err := startJump(ctx, settings, path)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != KindJump || c.Scale != 0.4 || c.Page != path || !c.Now().Equal(DefaultStart()) {
		t.Errorf("clock %+v at %v", c, c.Now())
	}
	if want := []string{"LD_PRELOAD=/usr/local/lib/libvclock.so", "VCLOCK_PAGE=" + path}; !slices.Equal(env, want) {
		t.Errorf("environment %q, want %q", env, want)
	}
	for restarts := range 3 {
		if got := c.Stats().Restarts; got != uint64(restarts) {
			t.Errorf("%d restarts, want %d", got, restarts)
		}
		killed := p.controller
		if killErr := syscall.Kill(int(killed), syscall.SIGKILL); killErr != nil {
			t.Fatal(killErr)
		}
		hosttest.Until(t, "another controller has taken over", func() bool {
			return c.Stats().Restarts > uint64(restarts) && p.controller != 0 && p.controller != killed
		})
	}
	cancel()
	hosttest.Until(t, "the controller and its goroutines have ended", func() bool { return p.controller == 0 && runtime.NumGoroutine() <= before })
	args, err := os.ReadFile(path + ".args")
	if err != nil {
		t.Fatal(err)
	}
	want := "--page PATH --start 1861920010 --think-scale 2.5 --hold --round a=60 --round b=1.5\n" +
		strings.Repeat("--page PATH --attach\n", 3)
	if got := strings.ReplaceAll(string(args), path, "PATH"); got != want {
		t.Errorf("vclockd was called with\n%swant\n%s", got, want)
	}
}

func TestStartJumpFails(t *testing.T) {
	path, _ := install(t)
	for think, want := range map[float64]string{
		666: "exit status 2", 667: `printed "vclockd: something else\n"`,
	} {
		c, _, err := startJump(t.Context(), Settings{ThinkScale: think}, path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("think scale %g: %+v, error %v, want %q", think, c, err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err := startJump(t.Context(), Settings{}, path); err == nil {
		t.Error("started a vclockd that is not there")
	}
}

func TestStartLinear(t *testing.T) {
	for _, s := range []Settings{{Kind: KindReal}, {Kind: KindScaled, TimeScale: 1}} {
		c, env, err := Start(t.Context(), s)
		if err != nil || c.Kind != KindReal || c.Scale != 1 || len(env) != 0 {
			t.Errorf("%+v: clock %+v, environment %q, error %v", s, c, env, err)
		}
	}
	if c, _, err := Start(t.Context(), Settings{Kind: KindScaled}); err == nil {
		t.Errorf("invalid settings gave %+v", c)
	}
}
