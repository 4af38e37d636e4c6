package hosttest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/creack/pty"
)

// packageOf is the Debian package of a program that a test runs, empty if no test does.
func packageOf(program string) string {
	switch program {
	case "bash", "make", "perl", "python3", "unzip":
		return program
	case "cc":
		return "gcc"
	case "dockerd":
		return "docker.io"
	case "groff":
		return "groff-base"
	case "taskset", "unshare":
		return "util-linux"
	}
	return ""
}

// Program returns the path of a program of the host. Without it the test fails or is
// skipped, as Missing says.
func Program(t testing.TB, name string) string {
	t.Helper()
	from := packageOf(name)
	if from == "" {
		t.Fatalf("hosttest knows no Debian package of %s; add it to packageOf", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, "apt-get install "+from)
	}
	return path
}

// Root lets the test go on as root alone. What says what only root does.
func Root(t testing.TB, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "root", "run the tests as root, who alone "+what)
	}
}

// Terminal opens a terminal of so many rows and columns, which ends with the test. It returns the
// files of both ends: the user's and the program's.
func Terminal(t testing.TB, rows, columns int) (user, program *os.File) {
	t.Helper()
	user, program, err := pty.Open()
	if err != nil {
		Missing(t, "terminal", fmt.Sprintf("mount a devpts at /dev/pts with a /dev/ptmx (%v)", err))
	}
	t.Cleanup(func() { _, _ = user.Close(), program.Close() })
	if err := pty.Setsize(user, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	return user, program
}

// Missing ends a test that needs what is not there: it fails under CI=true and is skipped
// otherwise. The remedy is the command that mends it.
func Missing(t testing.TB, what, remedy string) {
	t.Helper()
	if text := fmt.Sprintf("needs %s: %s", what, remedy); os.Getenv("CI") == "true" {
		t.Fatal(text)
	} else {
		t.Skip(text)
	}
}

// Brief says that short tests are asked for: by "go test -short", or by LONG=0, with which "make test" leaves long
// ones to "make test-long". With -short each property also draws a fifth of its cases.
func Brief() bool { return testing.Short() || os.Getenv("LONG") == "0" }

// Long skips a test that takes long where short ones are asked for. What says what it does.
func Long(t testing.TB, what string) {
	t.Helper()
	if Brief() {
		t.Skip("long: " + what + "; make test-long does")
	}
}

// Elsewhere skips a test that is meant to run elsewhere, such as inside a cluster or in the
// toolbox. Where says where, and what runs it there.
func Elsewhere(t testing.TB, where string) {
	t.Helper()
	t.Skip("elsewhere: " + where)
}

// Linux skips a test of what only Linux has.
func Linux(t testing.TB, what string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		Elsewhere(t, "on Linux, which alone "+what)
	}
}
