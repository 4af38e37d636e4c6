//go:build !linux

package plugin

import "syscall"

// attributes of a process with a group of its own.
func attributes(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: user}
}

// signalUser reports that it cannot reach all processes of a user.
func signalUser(uint32, syscall.Signal) bool { return false }
