package plugin

import (
	"runtime"
	"syscall"
)

// attributes of a process with a group of its own that dies with its parent.
func attributes(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: user}
}

// signalUser sends a signal to all processes of a user, and reports whether it could. One that forks meanwhile escapes
// it no more than its child: the kernel has both get a signal to all (PIDTYPE_MAX in kernel/signal.c, copy_process in
// kernel/fork.c).
//
// The system call setresuid changes one thread, where that of Go changes all. As kill(2) spares the process of its
// caller, a thread of this one that is the user reaches all others of the user, and nobody else. The thread ends, as it
// is locked to a goroutine that does.
func signalUser(uid uint32, s syscall.Signal) bool {
	reached := make(chan bool)
	go func() {
		runtime.LockOSThread()
		id := uintptr(uid)
		if _, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, id, id, id); failed != 0 {
			reached <- false
			return
		}
		err := syscall.Kill(-1, s)
		reached <- err == nil || err == syscall.ESRCH
	}()
	return <-reached
}
