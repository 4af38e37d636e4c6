package plugin

import "syscall"

// attributes are those of a process with a group of its own that dies with its parent.
func attributes(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: user}
}
