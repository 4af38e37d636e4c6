//go:build integration

package clock_test

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
)

// onTheClock are the files of an image whose programs run on the cluster's clock: Slurm
// with its plugins, its client of MariaDB, the shell, and the programs that scripts call.
// MariaDB itself is on real time (containers/slurm/vclock/lib/lib.h).
var onTheClock = regexp.MustCompile(`^(usr/s?bin/(s[a-z]+|slurmctld-wlm|bash)|usr/lib/[^/]+/(libslurm|libmariadb|slurm)[^ ]*|opt/slurm/.*)$`)

// leftToLibc are all functions of glibc 2.43 that read a clock or end at a time and that
// libvclock.so does not replace. Its new functions since 2.41 are none of them.
func leftToLibc() []string {
	return []string{
		"__clock_gettime", "__gettimeofday", "__sigtimedwait", "aio_suspend", "aio_suspend64", "ftime", "gai_suspend",
		"ntp_gettime", "ntp_gettimex", "recvmmsg", "rtime",
	}
}

// Some functions of libc read a clock or end at a time. No program on the cluster's clock imports one of them that is
// not replaced, on the libc of each backend. The files are read and not run.
func TestImportsAreReplaced(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, on backend.Backend) {
		image := backendtest.Image(t, on)
		backendtest.Needs(t, image, backendtest.Remedy(on))
		programs, imports := importsOf(t, image)
		for _, name := range leftToLibc() {
			if files := imports[name]; len(files) > 0 {
				t.Errorf("%s is imported and not replaced: %q", name, files)
			}
		}
		// Slurm waits by these everywhere: without them the files are the wrong ones.
		for _, name := range []string{"pthread_cond_timedwait", "clock_gettime", "time", "poll", "timer_settime"} {
			if len(imports[name]) == 0 {
				t.Errorf("%d programs, and none imports %s", programs, name)
			}
		}
	})
}

// importsOf counts the programs and libraries of an image that run on the clock, and lists
// the files that import each function.
func importsOf(t *testing.T, image string) (programs int, imports map[string][]string) {
	t.Helper()
	id, err := exec.CommandContext(t.Context(), "docker", "create", image).Output()
	if err != nil {
		t.Fatal(err)
	}
	container := strings.TrimSpace(string(id))
	t.Cleanup(func() {
		if out, kept := exec.Command("docker", "rm", container).CombinedOutput(); kept != nil {
			t.Errorf("%v: %s", kept, out)
		}
	})
	export := exec.CommandContext(t.Context(), "docker", "export", container)
	out, err := export.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Start(); err != nil {
		t.Fatal(err)
	}
	imports = map[string][]string{}
	files := tar.NewReader(out)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg || !onTheClock.MatchString(header.Name) {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte(elf.ELFMAG)) {
			continue
		}
		programs++
		for _, name := range importedBy(t, header.Name, text) {
			imports[name] = append(imports[name], header.Name)
		}
	}
	if err := export.Wait(); err != nil {
		t.Fatal(err)
	}
	return programs, imports
}

// importedBy lists the functions that a program imports, each once.
func importedBy(t *testing.T, name string, text []byte) []string {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	symbols, err := file.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		t.Fatalf("%s: %v", name, err)
	}
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
