package hosttest_test

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// fake notes how a test ends.
type fake struct {
	testing.TB
	ended string
}

func (f *fake) Helper() {}
func (f *fake) Skip(args ...any) {
	f.ended = "skipped: " + fmt.Sprint(args...)
	runtime.Goexit()
}
func (f *fake) Fatal(args ...any) {
	f.ended = "failed: " + fmt.Sprint(args...)
	runtime.Goexit()
}
func (f *fake) Fatalf(format string, args ...any) { f.Fatal(fmt.Sprintf(format, args...)) }

// outcome is how a test ends, empty if it goes on.
func outcome(test func(t testing.TB)) string {
	f := &fake{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(f)
	}()
	<-done
	return f.ended
}

// With CI=true what is missing fails the test, with the package to install; otherwise the same words skip it.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	groff := func(t testing.TB) { hosttest.Program(t, "groff") }
	for ci, want := range map[string]string{
		"true": "failed: needs groff: apt-get install groff-base", "": "skipped: needs groff: apt-get install groff-base", "false": "skipped: needs groff: apt-get install groff-base",
	} {
		t.Setenv("CI", ci)
		if got := outcome(groff); got != want {
			t.Errorf("CI=%s: got %q, want %q", ci, got, want)
		}
	}
	if got := outcome(func(t testing.TB) { hosttest.Program(t, "frobnicate") }); !strings.HasPrefix(got, "failed: hosttest knows no Debian package of frobnicate") {
		t.Errorf("got %q", got)
	}
}

// What is there is found, and the test goes on.
func TestProgram(t *testing.T) {
	hosttest.Linux(t, "has bash for sure")
	want, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	if got := hosttest.Program(t, "bash"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A wait ends with its condition, however late that comes, and a hang fails the test with what was waited for.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		late := func() bool { return time.Since(began) > hosttest.Hang/2 }
		if got := outcome(func(t testing.TB) { hosttest.Until(t, "late", late) }); got != "" {
			t.Errorf("got %q, want that the test goes on", got)
		}
		never := func() bool { return false }
		if got := outcome(func(t testing.TB) { hosttest.Until(t, "never", never) }); got != "failed: never: not so after 5m0s" {
			t.Errorf("got %q", got)
		}
		some := make(chan int, 1)
		some <- 7
		if got := hosttest.Receive(t, "some", some); got != 7 {
			t.Errorf("got %d", got)
		}
		if got := outcome(func(t testing.TB) { hosttest.Receive(t, "none", some) }); got != "failed: none: nothing after 5m0s" {
			t.Errorf("got %q", got)
		}
	})
}

// Quadratic work fails the test, and linear work passes.
func TestLinear(t *testing.T) {
	steps := 0
	work := func(of func(size int) int) string {
		return outcome(func(t testing.TB) {
			hosttest.Linear(t, 1000, func(size int) func() {
				return func() {
					for range of(size) {
						steps++
					}
				}
			})
		})
	}
	if got := work(func(size int) int { return 1000 * size }); got != "" {
		t.Errorf("linear work: got %q, want that the test goes on", got)
	}
	if got := work(func(size int) int { return size * size }); !strings.Contains(got, "ten times the size takes") {
		t.Errorf("quadratic work: got %q, want a failure", got)
	}
}
