package run

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// Engines give a core each in turn. Engines of one machine share its cores and its room, and each of their clusters
// counts. A core of another machine is another core.
func TestTakeCoresOf(t *testing.T) {
	engine := func(machine, list string) DockerHost {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Api-Version", "1.44")
			w.Header().Set("Content-Type", "application/json")
			text := "{}"
			if strings.HasSuffix(r.URL.Path, "/containers/json") {
				text = list
			}
			_, _ = io.WriteString(w, text)
		}))
		t.Cleanup(server.Close)
		e := DockerHost{Docker: Docker{Host: strings.Replace(server.URL, "http", "tcp", 1)}, Machine: fmt.Sprintf("test/%d-%s", os.Getpid(), machine), Cores: []int{0, 1, 2, 3}}
		for _, number := range e.Cores {
			t.Cleanup(func() { _ = os.Remove(lockName(lockDir, e.Machine, number)) })
		}
		return e
	}
	idle, busy := "[]", `[{"Id": "1", "State": "running", "Labels": {"org.slurmlab.role": "run", "org.slurmlab.core": "2"}}]`
	a, b, other := engine("a", idle), engine("a", busy), engine("b", idle)
	names := map[string]string{a.Name(): "a", b.Name(): "b", other.Name(): "other"}
	for _, test := range []struct {
		engines []DockerHost
		want    int
		taken   []string
	}{
		{[]DockerHost{a, b, other}, 9, []string{"a3", "b1", "other3", "a0", "other2", "other1", "other0"}},
		{[]DockerHost{a, b, other}, 2, []string{"a3", "b1"}},
		{[]DockerHost{a}, 9, []string{"a3", "a2", "a1", "a0"}},
		{[]DockerHost{b}, 9, []string{"b3", "b1", "b0"}},
	} {
		taken, err := TakeCoresOf(t.Context(), test.engines, test.want, func([]Holder) { t.Error("it waits") })
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, core := range taken {
			got = append(got, fmt.Sprint(names[core.On.Name()], core.Number))
		}
		if !slices.Equal(got, test.taken) {
			t.Errorf("got %v, want %v", got, test.taken)
		}
		ReleaseCores(taken)
	}
	a.Most, b.Most = 2, 2
	taken, err := TakeCoresOf(t.Context(), []DockerHost{a, b}, 9, nil)
	defer ReleaseCores(taken)
	if err != nil || len(taken) != 2 {
		t.Errorf("with room for 2 on the machine: got %v, %v", taken, err)
	}
}

// A core has one owner, and is free again when the owner lets go.
func TestLockCore(t *testing.T) {
	dir := t.TempDir()
	first, err := lockCore(dir, "", 3)
	if err != nil || first == nil {
		t.Fatalf("a free core: %v, %v", first, err)
	}
	if got := lockOwner(lockName(dir, "", 3)); runtime.GOOS == "linux" && got != os.Getpid() {
		t.Errorf("the core is locked by %d, want this process, %d", got, os.Getpid())
	}
	if got := lockOwner(lockName(dir, "", 4)); got != 0 {
		t.Errorf("a core that nobody has is locked by %d", got)
	}
	if again, secondErr := lockCore(dir, "", 3); secondErr != nil || again != nil {
		t.Errorf("a taken core: %v, %v, want none", again, secondErr)
	}
	other, err := lockCore(dir, "", 4)
	if err != nil || other == nil {
		t.Errorf("another core: %v, %v", other, err)
	}
	ReleaseCores([]Core{{Number: 3, lock: first}, {Number: 4, lock: other}})
	if again, againErr := lockCore(dir, "", 3); againErr != nil || again == nil {
		t.Errorf("a released core: %v, %v", again, againErr)
	}
	if _, err = lockCore(filepath.Join(dir, "missing"), "", 3); err == nil {
		t.Error("a lock in a missing directory is taken")
	}
}

// The kernel's list has other locks, other files and waiting processes.
func TestLockedBy(t *testing.T) {
	const locks = "1: POSIX  ADVISORY  WRITE 11 08:01:77 0 EOF\n" +
		"2: FLOCK  ADVISORY  WRITE 12 08:01:78 0 EOF\n" +
		"3: FLOCK  ADVISORY  WRITE 0 08:01:79 0 EOF\n" +
		"4: FLOCK  ADVISORY  WRITE 14 08:01:77 0 EOF\n4: -> FLOCK  ADVISORY  WRITE 15 08:01:77 0 EOF\nshort\n"
	for file, want := range map[string]int{"08:01:77": 14, "08:01:78": 12, "08:01:79": 0, "08:01:80": 0} {
		if got := lockedBy(locks, file); got != want {
			t.Errorf("%s is locked by %d, want %d", file, got, want)
		}
	}
}

// The message tells a waiting user what to look for.
func TestHolder(t *testing.T) {
	run := &Container{ID: "0123456789abcdef", Role: "run", Name: "S-V.2-auction-seed1"}
	for want, h := range map[string]Holder{
		"core 1: run S-V.2-auction-seed1, container 0123456789ab, process 7": {Core: 1, Cluster: run, Process: 7},
		"core 1: run S-V.2-auction-seed1, container 0123456789ab":            {Core: 1, Cluster: run},
		"core 1: a cluster, container 0123456789ab":                          {Core: 1, Cluster: &Container{ID: run.ID, Role: "run"}},
		"core 0: process 7":                {Process: 7},
		"core 0: another process":          {},
		"core 3 of node7: another process": {Core: 3, Machine: "node7"},
	} {
		if got := h.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// One hardware thread of each core, in both ways that the kernel writes lists, the first that may be used;
// a machine that does not tell has cores only.
func TestFirstThreads(t *testing.T) {
	hosttest.Linux(t, "tells")
	sys := t.TempDir()
	for number, list := range map[int]string{0: "0-1\n", 1: "0-1\n", 2: "2,6\n", 6: "2,6\n", 7: "7\n"} {
		dir := filepath.Join(sys, fmt.Sprintf("cpu%d", number), "topology")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "thread_siblings_list"), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ allowed, want []int }{
		{[]int{0, 1, 2, 6, 7, 8}, []int{0, 2, 7, 8}},
		// The affinity of a task of a job.
		{[]int{1}, []int{1}},
		{[]int{1, 2, 6}, []int{1, 2}},
	} {
		if got := firstThreads(sys, c.allowed); !slices.Equal(got, c.want) {
			t.Errorf("of threads %v: %v, want %v", c.allowed, got, c.want)
		}
	}
}
