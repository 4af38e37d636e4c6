package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// confinedName is the command that executes a program of a user's, which then opens no socket.
const confinedName = "confined"

func confinedCommand() *cobra.Command {
	return &cobra.Command{
		Use:   confinedName + " PROGRAM [ARGUMENT...]",
		Short: "Execute a program that cannot open sockets",
		Args:  cobra.MinimumNArgs(1),
		// Flags are the program's.
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := exec.LookPath(args[0])
			if err != nil {
				return err
			}
			// The filter is the thread's that executes the program.
			runtime.LockOSThread()
			if err = withoutSockets(); err != nil {
				return fmt.Errorf("keep %s from sockets: %w", path, err)
			}
			if err = syscall.Exec(path, args, os.Environ()); err != nil {
				return fmt.Errorf("execute %s: %w", path, err)
			}
			return nil
		},
	}
}

// withoutSockets has this thread, and all that it executes and starts, open no socket from here on (seccomp(2)). So it
// reaches no daemon of the cluster, whichever user it is. Pipes and socketpair(2) are left, as Python's multiprocessing
// needs them.
func withoutSockets() error {
	calls, err := callsOf(runtime.GOARCH)
	if err != nil {
		return err
	}
	if err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := calls.filter()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, failed := syscall.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)))
	switch failed {
	case 0:
		return nil
	case syscall.EINVAL:
		return fmt.Errorf("the kernel has no seccomp filters (CONFIG_SECCOMP_FILTER): %w", failed)
	}
	return failed
}

// calls are system calls of an architecture that a confined program is refused, by their numbers in the kernel.
type calls struct {
	architecture uint32
	refused      []uint32
}

// callsOf knows the architectures for which there are images.
func callsOf(goarch string) (calls, error) {
	// io_uring has sockets of its own.
	refused := []uint32{unix.SYS_SOCKET, unix.SYS_IO_URING_SETUP}
	switch goarch {
	case "amd64":
		return calls{unix.AUDIT_ARCH_X86_64, refused}, nil
	case "arm64":
		return calls{unix.AUDIT_ARCH_AARCH64, refused}, nil
	case "ppc64le":
		// Only here socketcall(2), with this number, opens sockets as well.
		return calls{unix.AUDIT_ARCH_PPC64LE, append(refused, 102)}, nil
	}
	return calls{}, fmt.Errorf("got architecture %s, allowed amd64, arm64 or ppc64le", goarch)
}

// filter refuses these calls, and all by numbers of other architectures: on x86-64 those of 32-bit
// programs, and of the x32 ABI from x32 on. Offsets are those of struct seccomp_data.
func (c calls) filter() []unix.SockFilter {
	const number, architecture = 0, 4
	const x32 = 1 << 30
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	jump := func(test uint16, than uint32, yes, no int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: uint8(yes), Jf: uint8(no), K: than}
	}
	end := func(with uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with} }
	left := len(c.refused) + 1
	program := []unix.SockFilter{
		load(architecture), jump(unix.BPF_JEQ, c.architecture, 0, left+2),
		load(number), jump(unix.BPF_JGE, x32, left, 0),
	}
	for i, call := range c.refused {
		program = append(program, jump(unix.BPF_JEQ, call, left-i-1, 0))
	}
	return append(program, end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
}
