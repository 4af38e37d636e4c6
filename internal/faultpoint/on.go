//go:build faults

package faultpoint

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
)

// Environment variables of a process that has points.
const (
	// pointVariable names the armed point.
	pointVariable = "SLURMLAB_FAULTPOINT"
	// socketVariable is the path of the nemesis's socket.
	socketVariable = "SLURMLAB_FAULTPOINT_SOCKET"
)

// reached says that this process has been at its armed point.
var reached atomic.Bool

// At tells the nemesis that the point is reached, if it is the armed one, and returns
// when the nemesis says so or is gone.
func At(point string) {
	if os.Getenv(pointVariable) != point || !reached.CompareAndSwap(false, true) {
		return
	}
	conn, err := net.Dial("unix", os.Getenv(socketVariable))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if _, err = fmt.Fprintf(conn, "%s\n", point); err != nil {
		return
	}
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return
	}
	for again := true; again; runtime.Gosched() {
		again = false
		_ = raw.Read(func(descriptor uintptr) bool {
			_, err := syscall.Read(int(descriptor), make([]byte, 1))
			again = errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
			return true
		})
	}
}

// Environment is what a container needs for its points: the variables of this process.
func Environment() map[string]string {
	if os.Getenv(socketVariable) == "" {
		return nil
	}
	return map[string]string{pointVariable: os.Getenv(pointVariable), socketVariable: os.Getenv(socketVariable)}
}

// Binds are the mounts that a container needs for its points: the directory of the
// socket, under the same path.
func Binds() []string {
	socket := os.Getenv(socketVariable)
	if socket == "" {
		return nil
	}
	dir := filepath.Dir(socket)
	return []string{dir + ":" + dir}
}
