package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// What --on may name, and what it says of the rest.
func TestEnginesOfFlag(t *testing.T) {
	for on, want := range map[string]string{
		"docker://10.0.0.5:2375":                         "tcp://10.0.0.5:2375",
		"docker://[fd00::5]:2376":                        "tcp://[fd00::5]:2376",
		"docker://tcp://a:1,docker:///run/b.sock":        "tcp://a:1 unix:///run/b.sock",
		"docker://unix:///run/a.sock,docker://unix:///b": "unix:///run/a.sock unix:///b",
	} {
		if hosts, err := ParseEngines(on); err != nil || strings.Join(hosts, " ") != want {
			t.Errorf("--on %s: got %q, %v, want %s", on, hosts, err, want)
		}
	}
	for on, want := range map[string]string{
		"docker://":                       `on: "docker://" is not allowed, want HOST:PORT`,
		"docker://10.0.0.5":               `on: "docker://10.0.0.5" is not allowed, want HOST:PORT, as in docker://10.0.0.5:2375`,
		"docker://:2375":                  "want HOST:PORT",
		"docker://unix://run/a.sock":      "want the absolute path of a socket",
		"docker://a:1,b:1":                `on: "b:1" is not allowed, want docker:// before each engine`,
		"docker://a:1,slurm":              `on: "slurm" is not allowed, want docker:// before each engine`,
		"docker://a:1,docker://tcp://a:1": `on: "docker://tcp://a:1" is named twice`,
		"docker://npipe:////./pipe/x":     "want docker://HOST:PORT or docker:///PATH of a socket",
		"docker://ssh://ada@b":            "ssh -N -L /tmp/engine.sock:/var/run/docker.sock ada@b, and name docker:///tmp/engine.sock",
		"docker://a,docker://b":           `on: "docker://b" is not allowed`,
		"docker://a:1,":                   `on: "" is not allowed`,
	} {
		if _, err := ParseEngines(on); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--on %s: got %v, want %s", on, err, want)
		}
	}
}

// played is a Docker engine in memory.
type played struct {
	*httptest.Server
	host string
	// image are the id and the version of the only image, empty for none.
	id, version string
	// siblings are the lists of the threads of a core, a line for each of the two threads.
	siblings string
	// busy is at how many looks another machine's cluster has core 1.
	busy atomic.Int64
}

func play(t *testing.T, machine, id, version string) *played {
	p := &played{id: id, version: version, siblings: "0\n1\n"}
	answer := func(w http.ResponseWriter, with any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(with); err != nil {
			t.Error(err)
		}
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, "/info"):
			answer(w, map[string]any{"Name": machine, "NCPU": 2, "MemTotal": 64 << 30})
		case strings.HasSuffix(path, "/containers/json"):
			list := []any{}
			if n := p.busy.Add(-1); n >= 0 {
				list = append(list, map[string]any{"Id": "0123456789ab", "State": "running", "Labels": map[string]string{
					slurm.RoleLabel: slurm.RoleRun, slurm.NameLabel: "theirs", slurm.CoreLabel: "1", slurm.OwnerLabel: "elsewhere:/study/theirs",
				}})
			}
			answer(w, list)
		case strings.HasSuffix(path, "/containers/create"):
			answer(w, map[string]any{"Id": "1"})
		case strings.HasSuffix(path, "/logs"):
			w.Header().Set("Content-Type", "application/vnd.docker.multiplexed-stream")
			_, _ = w.Write(append([]byte{1, 0, 0, 0, 0, 0, 0, byte(len(p.siblings))}, p.siblings...))
		case strings.Contains(path, "/images/") && p.id == "":
			w.WriteHeader(http.StatusNotFound)
			answer(w, map[string]any{"message": "no such image"})
		case strings.Contains(path, "/images/"):
			answer(w, map[string]any{"Id": p.id, "Config": map[string]any{"Labels": map[string]string{slurm.VersionLabel: p.version, slurm.SlurmLabel: "26.05.5"}}})
		default:
			answer(w, map[string]any{"Version": "20.10"})
		}
	}))
	t.Cleanup(p.Close)
	p.host = strings.Replace(p.URL, "http", "tcp", 1)
	return p
}

// Before anything starts each engine has the same image, and the error names each that has not and how it gets it.
func TestImagesOfEngines(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent")
	good, same := play(t, "a", "sha256:1", "7"), play(t, "b", "sha256:1", "7")
	other, old, none, gone := play(t, "c", "sha256:2", "7"), play(t, "d", "sha256:3", "6"), play(t, "e", "", ""), play(t, "f", "", "")
	gone.Close()
	of7 := run.Config{Spec: drive.Spec{Backend: backend.Default()}, Image: "image", Version: "7"}
	find := func(all ...*played) ([]run.Config, error) {
		e := Execution{Terminal: silent{}}
		for _, p := range all {
			e.Hosts = append(e.Hosts, p.host)
		}
		configs := []run.Config{of7, of7}
		return configs, e.findEngines(t.Context(), configs)
	}
	if configs, err := find(good, same); err != nil || configs[1].ImageID != "sha256:1" {
		t.Errorf("got %v, %v", configs[1].ImageID, err)
	}
	for siblings, want := range map[string][]int{"0\n1\n": {0, 1}, "0-1\n0-1\n": {0}, "0,1\n0,1\n": {0}, "": {0, 1}} {
		same.siblings = siblings
		e := Execution{Terminal: silent{}, Hosts: []string{same.host}}
		if err := e.findEngines(t.Context(), []run.Config{of7}); err != nil || !slices.Equal(e.engines[0].Cores, want) {
			t.Errorf("threads of a core %q: got cores %v, %v, want %v", siblings, e.engines[0].Cores, err, want)
		}
	}
	// A round that is not the first.
	e := Execution{Terminal: silent{}, Hosts: []string{good.host, gone.host}, engines: []run.DockerHost{{Docker: run.Docker{Host: good.host}}, {Docker: run.Docker{Host: gone.host}}}}
	if err := e.findEngines(t.Context(), []run.Config{of7}); err != nil || len(e.engines) != 1 || e.engines[0].Host != good.host {
		t.Errorf("a later round has engines %v, %v", e.engines, err)
	}
	remedy := func(p *played) string {
		return "copy the image of this slurmlab there: docker -H " + good.host + " save image | docker -H " + p.host + " load"
	}
	_, err := find(good, other, old, none)
	var environment *run.EnvironmentError
	if !errors.As(err, &environment) {
		t.Fatalf("got %v", err)
	}
	want := fmt.Sprintf("engine %s: image image is %s, that of engine %s is %s\n  %s\n", other.host, trace.ShortID("sha256:2"), good.host, trace.ShortID("sha256:1"), remedy(other)) +
		fmt.Sprintf("engine %s: image image was built by slurmlab 6, this is slurmlab 7\n  %s\n", old.host, remedy(old)) +
		fmt.Sprintf("engine %s: image image is missing\n  %s", none.host, remedy(none))
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	_, err = find(none)
	contains(t, "one engine", err.Error(), "docker save image | docker -H "+none.host+" load")
	_, err = find(good, gone)
	contains(t, "an engine that is not there", err.Error(), "engine "+gone.host+" cannot be reached: ", "(docker -H "+gone.host+" info), or leave it out of --on")
}

// fleetOn is six runs over engines, without cores.
func fleetOn(t *testing.T, all ...*played) (*fleet, []slot) {
	out := t.TempDir()
	var engines []run.DockerHost
	var slots []slot
	for _, p := range all {
		on, err := run.FindHost(t.Context(), p.host)
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, on)
		for core := range 2 {
			slots = append(slots, slot{on, &core})
		}
	}
	var configs []run.Config
	for seed := range 6 {
		configs = append(configs, run.Config{Spec: drive.Spec{Seed: uint64(seed), Policy: policy.Policy{Name: "p"}}, Dir: filepath.Join(out, fmt.Sprint("run", seed))})
	}
	e := &Execution{Terminal: silent{}, Out: out, Unattended: true, engines: engines}
	f := newFleet(e, silent{}, configs, nil)
	return f, slots
}

// carryOut has the fleet make its runs, each by carry, and says where each was made.
func carryOut(t *testing.T, f *fleet, slots []slot, carry func(on string, c run.Config) error) (map[string]string, error) {
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	f.stop = stop
	var mu sync.Mutex
	made := map[string]string{}
	f.carry = func(_ context.Context, c run.Config) (trace.Run, error) {
		host := c.Engine.(run.DockerHost).Host
		if err := carry(host, c); err != nil {
			return trace.Run{}, err
		}
		mu.Lock()
		defer mu.Unlock()
		name := filepath.Base(c.Dir)
		if made[name] != "" {
			t.Errorf("%s is made twice", name)
		}
		made[name] = host
		return trace.Run{}, nil
	}
	var group errgroup.Group
	for _, p := range slots {
		group.Go(func() error { return f.work(ctx, p) })
	}
	return made, errors.Join(group.Wait(), f.failed())
}

// brokenRun leaves a run that its engine has lost.
func brokenRun(t *testing.T, c run.Config) error {
	if err := os.CopyFS(c.Dir, os.DirFS(recorded("auction"))); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(c.Dir, "run.json"), `"status": "complete"`, `"status": "failed", "reason": "x"`)
	return errors.New("x")
}

// An engine that dies takes its runs with it, and the other one makes them.
func TestLostEngine(t *testing.T) {
	a, b := play(t, "a", "", ""), play(t, "b", "", "")
	f, slots := fleetOn(t, a, b)
	var lost atomic.Int64
	dead := make(chan struct{})
	die := sync.OnceFunc(func() {
		a.CloseClientConnections()
		a.Close()
		close(dead)
	})
	made, err := carryOut(t, f, slots, func(on string, c run.Config) error {
		if on == b.host {
			<-dead
			return nil
		}
		die()
		lost.Add(1)
		return brokenRun(t, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := lost.Load(); len(made) != 6 || n == 0 || n > 2 {
		t.Errorf("made are %v, and engine %s lost %d, want 6 runs and at most one lost in each of its slots", made, a.host, n)
	}
	if aside := run.Aside(f.Out); len(aside) != int(lost.Load()) {
		t.Errorf("set aside are %v, want the %d that were lost", aside, lost.Load())
	}
	if f.lost[slots[0].on.Name()] == nil || f.lost[slots[2].on.Name()] != nil {
		t.Errorf("lost are %v", f.lost)
	}
}

// Without an engine the command ends with an error that names them all, and what was under way stays for the next one.
func TestNoEngineLeft(t *testing.T) {
	a, b := play(t, "a", "", ""), play(t, "b", "", "")
	f, slots := fleetOn(t, a, b)
	made, err := carryOut(t, f, slots, func(on string, c run.Config) error {
		for _, p := range []*played{a, b} {
			if p.host == on {
				p.CloseClientConnections()
				p.Close()
			}
		}
		return brokenRun(t, c)
	})
	if err == nil || len(made) > 0 {
		t.Fatalf("made are %v, %v", made, err)
	}
	contains(t, "the error", err.Error(), "no engine is left:", "engine "+a.host+" cannot be reached: ", "engine "+b.host+" cannot be reached: ")
	if _, err = os.Stat(f.configs[5].Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a run has begun without an engine: %v", err)
	}
}

// An engine that answers and breaks three runs one after the other gets no more of them, and its faults are reported.
func TestBreakingEngine(t *testing.T) {
	a, b := play(t, "a", "", ""), play(t, "b", "", "")
	f, slots := fleetOn(t, a, b)
	broke := 0
	enough := make(chan struct{})
	made, err := carryOut(t, f, slices.Concat(slots[:1], slots[2:3]), func(on string, _ run.Config) error {
		if on == b.host {
			<-enough
			return nil
		}
		if broke++; broke == mostInARow {
			close(enough)
		}
		return errors.New("it breaks")
	})
	if err == nil || len(made) != 6-mostInARow || broke != mostInARow {
		t.Fatalf("made are %v, %d broke: %v", made, broke, err)
	}
	contains(t, "the error", err.Error(), "3 runs of 6 failed:", "it breaks")
}

// A core that another machine's slurmlab has is waited for, and no other one.
func TestCoreOfAnother(t *testing.T) {
	a, b := play(t, "a", "", ""), play(t, "b", "", "")
	f, slots := fleetOn(t, a, b)
	a.busy.Store(1)
	first := sync.OnceValue(func() int64 { return a.busy.Load() })
	made, err := carryOut(t, f, slots[1:2], func(string, run.Config) error {
		first()
		return nil
	})
	if err != nil || len(made) != 6 {
		t.Fatalf("made are %v, %v", made, err)
	}
	if got := first(); got >= 0 {
		t.Errorf("a run has begun while the other cluster was there for %d more looks", got)
	}
	b.busy.Store(1 << 30)
	other, err := f.engines[1].Foreign(t.Context(), 0)
	if err != nil || other != nil {
		t.Errorf("core 0 is not free: %v, %v", other, err)
	}
	if other, err = f.engines[1].Foreign(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if want := "core 1 of b: run theirs, container 0123456789ab"; other.String() != want {
		t.Errorf("got %q, want %q", other, want)
	}
}
