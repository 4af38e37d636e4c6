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
