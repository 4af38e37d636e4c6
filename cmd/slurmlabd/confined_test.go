package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// confinedTest is the environment variable with which the test's program does what "slurmlabd confined" does.
const confinedTest = "SLURMLABD_TEST_CONFINED"

func TestMain(m *testing.M) {
	if os.Getenv(confinedTest) != "" {
		cmd := confinedCommand()
		cmd.SetArgs(os.Args[1:])
		if err := cmd.Execute(); err != nil {
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// A confined program, and what it starts, opens no socket of any family and has pipes and pairs of sockets.
func TestConfined(t *testing.T) {
	const program = `use Socket;
for my $family (AF_UNIX, AF_INET, AF_INET6) { for my $type (SOCK_STREAM, SOCK_DGRAM) {
	print socket(my $s, $family, $type, 0) ? "a socket" : $!, "\n" } }
print socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) && pipe(my $r, my $w) ? "a pair" : $!, "\n"; `
	hosttest.Program(t, "perl")
	for name, argv := range map[string][]string{
		"the program": {"perl", "-e", program},
		"its child":   {"sh", "-c", `perl -e "$1"; exit`, "sh", program},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], argv...)
			cmd.Env = append(os.Environ(), confinedTest+"=1", "LC_ALL=C")
			out, err := cmd.CombinedOutput()
			if want := strings.Repeat("Operation not permitted\n", 6) + "a pair\n"; err != nil || string(out) != want {
				t.Errorf("%v, printed\n%swant\n%s", err, out, want)
			}
		})
	}
}

// A program that cannot be executed is named.
func TestConfinedWithoutProgram(t *testing.T) {
	cmd := exec.Command(os.Args[0], "/no/such/program")
	cmd.Env = append(os.Environ(), confinedTest+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "/no/such/program") {
		t.Errorf("%v, printed %q", err, out)
	}
}

// Each architecture refuses its own ways to sockets, and numbers of others.
func TestRefusedCalls(t *testing.T) {
	const getpid = 39
	for _, tt := range []struct {
		goarch               string
		architecture, number uint32
		allowed              bool
	}{
		{"amd64", unix.AUDIT_ARCH_X86_64, getpid, true},
		{"amd64", unix.AUDIT_ARCH_X86_64, unix.SYS_SOCKET, false},
		{"amd64", unix.AUDIT_ARCH_X86_64, unix.SYS_IO_URING_SETUP, false},
		{"amd64", unix.AUDIT_ARCH_X86_64, 1<<30 | getpid, false},
		{"amd64", unix.AUDIT_ARCH_I386, getpid, false},
		{"amd64", unix.AUDIT_ARCH_X86_64, 102, true},
		{"ppc64le", unix.AUDIT_ARCH_PPC64LE, 102, false},
		{"ppc64le", unix.AUDIT_ARCH_PPC64LE, getpid, true},
		{"arm64", unix.AUDIT_ARCH_AARCH64, unix.SYS_SOCKET, false},
	} {
		calls, err := callsOf(tt.goarch)
		if err != nil {
			t.Fatal(err)
		}
		if allowed := allows(calls.filter(), tt.architecture, tt.number); allowed != tt.allowed {
			t.Errorf("%+v: allowed %v", tt, allowed)
		}
	}
	if _, err := callsOf("riscv64"); err == nil || !strings.Contains(err.Error(), "riscv64, allowed amd64") {
		t.Errorf("an architecture without images: %v", err)
	}
}

// allows carries out a filter as the kernel does (struct seccomp_data: the number, then the architecture).
func allows(filter []unix.SockFilter, architecture, number uint32) bool {
	var value uint32
	for at := 0; ; at++ {
		f := filter[at]
		holds := false
		switch f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			value = map[uint32]uint32{0: number, 4: architecture}[f.K]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return f.K == unix.SECCOMP_RET_ALLOW
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = value == f.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds = value >= f.K
		}
		if holds {
			at += int(f.Jt)
		} else {
			at += int(f.Jf)
		}
	}
}
