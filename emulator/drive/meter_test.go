package drive

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/results/trace"
)

// machine is a machine whose counters the test sets.
type machine struct{ sources }

func newMachine(t *testing.T) machine {
	t.Helper()
	dir := t.TempDir()
	return machine{sources{stat: filepath.Join(dir, "stat"), cgroup: dir, core: 1, alone: true}}
}

// set sets what the core did in ticks, and the control group's own time.
func (m machine) set(t *testing.T, busy, stolen int, total time.Duration) {
	t.Helper()
	text := fmt.Sprintf("cpu0 9 9 9 9 9 9 9 9 9 9\ncpu1 %d 0 0 7 7 0 0 %d 0 0\n", busy, stolen)
	for path, text := range map[string]string{
		m.stat:                              text,
		filepath.Join(m.cgroup, "cpu.stat"): fmt.Sprintf("usage_usec %d\n", total.Microseconds()),
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func nobody() map[string][]int { return nil }

// near allows for the rounding of seconds as floating point numbers.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestForeignAndStolenTime(t *testing.T) {
	tests := []struct {
		name           string
		busy, stolen   int
		own            time.Duration
		foreign, stole float64
		shared         bool
	}{
		{name: "all is ours", busy: 300, own: 3 * time.Second},
		{name: "others computed", busy: 500, own: 3 * time.Second, foreign: 2},
		{name: "ticks lag behind", busy: 299, own: 3 * time.Second},
		{name: "hypervisor", busy: 300, stolen: 25, own: 3 * time.Second, stole: 0.25},
		{name: "no core of its own", busy: 500, stolen: 25, own: 3 * time.Second, shared: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			m.alone = !tt.shared
			m.set(t, 1000, 50, time.Minute)
			meter, err := newMeter(clock.Real(), time.Time{}, nobody, nil, m.sources)
			if err != nil {
				t.Fatal(err)
			}
			m.set(t, 1000+tt.busy, 50+tt.stolen, time.Minute+tt.own)
			f, err := meter.Stop()
			if err != nil {
				t.Fatal(err)
			}
			if !near(f.ForeignSeconds, tt.foreign) || !near(f.StolenSeconds, tt.stole) || !near(f.BusySeconds[otherProcesses], tt.own.Seconds()) || f.Jump != nil {
				t.Errorf("%+v, want foreign %g, stolen %g, busy %v", f, tt.foreign, tt.stole, tt.own)
			}
		})
	}
}

// A solver that overran its limit was killed. Its time counts as the solver's. What it used before the run is not the
// run's, and one that ended before the run does not count.
func TestEndedProcessesKeepTheirName(t *testing.T) {
	m := newMachine(t)
	m.set(t, 0, 0, time.Second)
	before, err := processNow()
	if err != nil {
		t.Fatal(err)
	}
	ended := []EndedProcess{{Name: "solver", ID: 1 << 30, Used: time.Hour}}
	self := func() map[string][]int { return map[string][]int{"solver": {os.Getpid()}} }
	meter, err := newMeter(clock.Real(), time.Time{}, self, func() []EndedProcess { return ended }, m.sources)
	if err != nil {
		t.Fatal(err)
	}
	m.set(t, 0, 0, 6*time.Second)
	meter.processes = nobody
	ended = append(ended, EndedProcess{"solver", os.Getpid(), before + 4*time.Second}, EndedProcess{"helper", 1 << 30, 500 * time.Millisecond})
	f, err := meter.Stop()
	if err != nil {
		t.Fatal(err)
	}
	// This process used a little between the two looks at its own time.
	if s := f.BusySeconds["solver"]; s > 4 || s < 3.5 || f.BusySeconds["helper"] != 0.5 || !near(s+0.5+f.BusySeconds[otherProcesses], 5) {
		t.Errorf("%v, want a little less than 4 s of the solver, 0.5 s of the helper, 5 s in all", f.BusySeconds)
	}
}

func processNow() (time.Duration, error) {
	used, alive := processTime(os.Getpid())
	if !alive {
		return 0, errors.New("this process is not alive")
	}
	return used, nil
}

func TestJumpsAreRecorded(t *testing.T) {
	began := time.Date(2029, 1, 1, 0, 1, 0, 0, time.UTC)
	m := meter{began: began}
	got := *m.jump(clock.Stats{
		Jumps: 7, Skipped: 90 * time.Second, IdleTests: 9, CaughtRunning: 1, CaughtBlocked: 2,
		LongestBusy: 1500 * time.Millisecond, LongestBusyAt: began.Add(time.Hour), Restarts: 1,
		Rounded: map[string]time.Duration{"acctg_prof": time.Minute},
		Sources: []clock.Source{{Thread: "sleep", Kind: "sleep", Jumps: 7}},
	})
	want := trace.JumpFidelity{
		Jumps: 7, SkippedSeconds: 90, IdleTests: 9, CaughtRunning: 1, CaughtBlocked: 2,
		LongestBusySeconds: 1.5, LongestBusyAt: 3600, Restarts: 1,
		Rounded: map[string]float64{"acctg_prof": 60},
		Sources: []trace.JumpSource{{Thread: "sleep", Kind: "sleep", Jumps: 7}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if idle := m.jump(clock.Stats{}); idle.LongestBusyAt != 0 {
		t.Errorf("%+v: a run that was never busy has no longest stretch", idle)
	}
}

// Whatever the counters do, no part is negative, and the parts are the whole.
func TestPartsAreTheWhole(t *testing.T) {
	m := newMachine(t)
	rapid.Check(t, func(rt *rapid.T) {
		ms := rapid.IntRange(0, 5000)
		m.set(t, 10, 10, time.Second)
		self := func() map[string][]int { return map[string][]int{"self": {os.Getpid()}} }
		meter, err := newMeter(clock.Real(), time.Time{}, self, nil, m.sources)
		if err != nil {
			rt.Fatal(err)
		}
		total := time.Duration(ms.Draw(rt, "total")) * time.Millisecond
		m.set(t, 10+ms.Draw(rt, "busy")/10, 10, time.Second+total)
		f, err := meter.Stop()
		if err != nil {
			rt.Fatal(err)
		}
		sum := 0.0
		for name, s := range f.BusySeconds {
			if s < 0 {
				rt.Fatalf("%s is negative: %+v", name, f)
			}
			sum += s
		}
		if f.ForeignSeconds < 0 || sum < total.Seconds()-1e-9 || f.BusySeconds[otherProcesses] > 0 && !near(sum, total.Seconds()) {
			rt.Fatalf("%+v of %v", f, total)
		}
	})
}

// What this machine's kernel counts ends up in the right part.
func TestComputingIsFoundOnThisMachine(t *testing.T) {
	const work = 200 * time.Millisecond
	t.Run("named", func(t *testing.T) {
		before := time.Now()
		meter, err := startMeter(clock.Real(), time.Now(), func() map[string][]int {
			return map[string][]int{"self": {os.Getpid()}, "gone": {1 << 22}}
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		burn(t, work)
		least := time.Since(begun).Seconds()
		f, err := meter.Stop()
		if err != nil {
			t.Fatal(err)
		}
		most := time.Since(before).Seconds()
		if ratio := f.BusySeconds["self"] / work.Seconds(); ratio < 0.95 || ratio > 3 {
			t.Errorf("%+v: self is %.2f of the work", f, ratio)
		}
		for name, passed := range map[string]float64{"real": f.RealSeconds, "virtual": f.VirtualSeconds} {
			if passed < least || passed > most {
				t.Errorf("%g %s seconds passed, want %g to %g", passed, name, least, most)
			}
		}
		if f.BusySeconds["gone"] != 0 {
			t.Errorf("%+v", f)
		}
	})
	// A process that has ended before the measurement counts all the same.
	t.Run("ended", func(t *testing.T) {
		cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo; sleep 100")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err = cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Its line says that it has used some time.
		_, readErr := out.Read(make([]byte, 1))
		meter, err := startMeter(clock.Real(), time.Now(), func() map[string][]int {
			return map[string][]int{"ended": {cmd.Process.Pid}}
		}, nil)
		if err = errors.Join(err, readErr, cmd.Process.Kill()); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if f, stopErr := meter.Stop(); stopErr != nil || f.BusySeconds["ended"] != 0 {
			t.Errorf("%+v, %v", f, stopErr)
		}
	})
	t.Run("other", func(t *testing.T) {
		meter, err := startMeter(clock.Real(), time.Now(), nobody, nil)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
		if err = cmd.Run(); err != nil {
			t.Fatal(err)
		}
		f, err := meter.Stop()
		if err != nil {
			t.Fatal(err)
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if ratio := f.BusySeconds[otherProcesses] / used.Seconds(); ratio < 0.8 {
			t.Errorf("%+v: other is %.2f of the %v that a child used", f, ratio, used)
		}
		if names := slices.Sorted(maps.Keys(f.BusySeconds)); !slices.Equal(names, []string{otherProcesses}) {
			t.Errorf("parts %v", names)
		}
	})
	// A process that began after the measurement has all its time from it.
	t.Run("new", func(t *testing.T) {
		var pids []int
		meter, err := startMeter(clock.Real(), time.Now(), func() map[string][]int { return map[string][]int{"new": pids} }, nil)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo; sleep 100")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err = cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		if _, err = out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		pids = []int{cmd.Process.Pid}
		used, _ := processTime(cmd.Process.Pid)
		f, err := meter.Stop()
		if err != nil {
			t.Fatal(err)
		}
		if ratio := f.BusySeconds["new"] / used.Seconds(); ratio < 1 || ratio > 1.5 {
			t.Errorf("%+v: new is %.2f of the %v that it used", f, ratio, used)
		}
	})
}
