package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A core has one owner, and is free again when the owner lets go.
func TestLockCore(t *testing.T) {
	dir := t.TempDir()
	first, err := lockCore(dir, 3)
	if err != nil || first == nil {
		t.Fatalf("a free core: %v, %v", first, err)
	}
	if got := lockOwner(lockName(dir, 3)); runtime.GOOS == "linux" && got != os.Getpid() {
		t.Errorf("the core is locked by %d, want this process, %d", got, os.Getpid())
	}
	if got := lockOwner(lockName(dir, 4)); got != 0 {
		t.Errorf("a core that nobody has is locked by %d", got)
	}
	if again, secondErr := lockCore(dir, 3); secondErr != nil || again != nil {
		t.Errorf("a taken core: %v, %v, want none", again, secondErr)
	}
	other, err := lockCore(dir, 4)
	if err != nil || other == nil {
		t.Errorf("another core: %v, %v", other, err)
	}
	ReleaseCores([]Core{{Number: 3, lock: first}, {Number: 4, lock: other}})
	if again, againErr := lockCore(dir, 3); againErr != nil || again == nil {
		t.Errorf("a released core: %v, %v", again, againErr)
	}
	if _, err = lockCore(filepath.Join(dir, "missing"), 3); err == nil {
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

// A waiting user is told what to look for.
func TestHolder(t *testing.T) {
	run := &Container{ID: "0123456789abcdef", Role: "run", Name: "S-V.2-auction-seed1"}
	for want, h := range map[string]Holder{
		"core 1: run S-V.2-auction-seed1, container 0123456789ab, process 7": {Core: 1, Cluster: run, Process: 7},
		"core 1: run S-V.2-auction-seed1, container 0123456789ab":            {Core: 1, Cluster: run},
		"core 0: process 7":       {Process: 7},
		"core 0: another process": {},
	} {
		if got := h.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// One hardware thread of each core, in both ways that the kernel writes lists;
// a machine that does not tell has cores only.
func TestFirstThread(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
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
	for number, want := range map[int]bool{0: true, 1: false, 2: true, 6: false, 7: true, 8: true} {
		if got := firstThread(sys, number); got != want {
			t.Errorf("firstThread(%d) = %v, want %v", number, got, want)
		}
	}
}
