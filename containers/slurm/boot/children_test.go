package boot_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// A helper that a signal has stopped is found and named: it is no daemon of the cluster, and
// all wait for it.
func TestStoppedHelperIsNamed(t *testing.T) {
	helper := exec.Command("sleep", "100")
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	pid := helper.Process.Pid
	defer func() {
		_ = helper.Process.Kill()
		_ = helper.Wait()
	}()
	if !slices.Contains(boot.Children(os.Getpid()), pid) {
		t.Fatalf("children %v, want %d among them", boot.Children(os.Getpid()), pid)
	}
	// The kernel has the arguments of a program a moment after Start has returned (load_elf_binary in fs/binfmt_elf.c).
	hosttest.UntilOr(t, func() bool { return boot.Command(pid) == "sleep" }, func() string {
		return fmt.Sprintf("its name is %q, want sleep", boot.Command(pid))
	})
	if err := helper.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() || !boot.Stopped(pid) {
		t.Errorf("the helper is stopped: %v, %v", boot.Stopped(pid), err)
	}
	if name := boot.Command(1 << 30); name != "" {
		t.Errorf("no process has the name %q", name)
	}
}

// The user of a process is its real one, also where /proc/PID is root's.
func TestRunBy(t *testing.T) {
	own := os.Getuid()
	if !boot.RunBy(os.Getpid(), own) {
		t.Errorf("this process is not of user %d", own)
	}
	if boot.RunBy(os.Getpid(), own+1) {
		t.Errorf("this process is of user %d", own+1)
	}
	if boot.RunBy(1<<30, own) {
		t.Error("a process that is not there has a user")
	}
	if own != 0 {
		t.Skip("only root may change the user of a process")
	}
	other := exec.Command("sleep", "60")
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = other.Process.Kill(), other.Wait() }()
	if !boot.RunBy(other.Process.Pid, 65533) || boot.RunBy(other.Process.Pid, 6553) {
		t.Error("the process of user 65533 is not found to be that")
	}
}
