//go:build !linux

package plugin

import "syscall"

// attributes are those of a process with a group of its own.
func attributes(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: user}
}
