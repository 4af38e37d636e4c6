package boot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

func cgroupTree(t *testing.T, files map[string]string) Cgroup {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return Cgroup{Root: root}
}

// The kernel's files are those of Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/memory.rst, pids.rst.
func TestCgroupExceeded(t *testing.T) {
	const name = "a limit of the cluster's container was exceeded: "
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing known", nil, ""},
		{"version 2, nothing happened", map[string]string{"memory.events": "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\noom_group_kill 0\n", "pids.events": "max 0\n"}, ""},
		{
			"version 2, memory", map[string]string{"memory.events": "max 3\noom 2\noom_kill 2\n", "memory.max": "3221225472\n"},
			name + "out of memory: the kernel killed 2 of the cluster's processes at the limit of 3.0 GiB; --memory gives it more",
		},
		{
			"version 2, processes", map[string]string{"memory.events": "oom_kill 0\n", "pids.events": "max 7\n", "pids.max": "2080\n"},
			name + "out of processes: 7 could not be started at the limit of 2080 processes and threads",
		},
		{"version 1, nothing happened", map[string]string{"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "pids/pids.events": "max 0\n"}, ""},
		{
			"version 1, memory", map[string]string{"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", "memory/memory.limit_in_bytes": "1073741824\n"},
			name + "out of memory: the kernel killed 1 of the cluster's processes at the limit of 1.0 GiB; --memory gives it more",
		},
		{
			"version 1, processes", map[string]string{"pids/pids.events": "max 1\n", "pids/pids.max": "10\n"},
			name + "out of processes: 1 could not be started at the limit of 10 processes and threads",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := cgroupTree(t, tt.files).Exceeded()
			if got := errorText(err); got != tt.want || (err != nil && !errors.Is(err, ErrExceeded)) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCgroupWatch(t *testing.T) {
	g := cgroupTree(t, map[string]string{"memory.events": "oom_kill 0\n", "memory.max": "max\n"})
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if err := g.Watch(ctx, func(string) {}); !errors.Is(err, stopped) {
		t.Errorf("got %v, want %v", err, stopped)
	}
	seen := make(chan error)
	go func() { seen <- g.Watch(t.Context(), func(string) {}) }()
	if err := os.WriteFile(filepath.Join(g.Root, "memory.events"), []byte("oom_kill 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := hosttest.Receive(t, "the limit", seen); !errors.Is(err, ErrExceeded) {
		t.Errorf("got %v", err)
	}
}

// Memory is that of programs and of files in memory, without the cache of files on the disk, in both versions of control groups;
// the most of it is remembered.
func TestCgroupMemory(t *testing.T) {
	for _, files := range []map[string]string{
		{"memory.stat": "anon 300\nfile 9000\nshmem 20\n"},
		{"memory/memory.stat": "cache 9000\nrss 1\nshmem 2\ntotal_cache 9000\ntotal_rss 300\ntotal_shmem 20\n"},
	} {
		g := cgroupTree(t, files)
		g.most = &atomic.Int64{}
		if got, known := g.Memory(); got != 320 || !known {
			t.Errorf("%v: got %d, %v, want 320", files, got, known)
		}
		g.MostMemory()
		if err := os.RemoveAll(g.Root); err != nil {
			t.Fatal(err)
		}
		if got := g.MostMemory(); got != 320 {
			t.Errorf("%v: the most is %d, want 320", files, got)
		}
	}
	if got := cgroupTree(t, nil).MostMemory(); got != 0 {
		t.Errorf("nothing known: got %d", got)
	}
}
