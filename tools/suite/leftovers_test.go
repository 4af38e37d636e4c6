package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// fakeDocker puts a docker into PATH whose containers are the files of the directory that it returns. Those that begin
// with "stays" cannot be removed, and one that begins with "gone" is gone when somebody tries to.
func fakeDocker(t *testing.T) (containers string) {
	t.Helper()
	t.Chdir(top)
	containers = t.TempDir()
	bin := t.TempDir()
	script := `#!/bin/sh
case $1 in
ps) echo "$@" >` + filepath.Join(bin, "asked") + `; ls ` + containers + ` ;;
rm)
	shift 3
	cd ` + containers + `
	for id; do case $id in stays*) false ;; gone*) rm "$id"; false ;; *) rm "$id" ;; esac || fault=1; done
	exit ${fault:-0}
	;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv(slurm.CheckoutVariable, "c0ffee")
	t.Cleanup(func() {
		asked, err := os.ReadFile(filepath.Join(bin, "asked"))
		if err != nil || !strings.Contains(string(asked), "--filter label="+slurm.CheckoutLabel+"=c0ffee") {
			t.Errorf("asked for the containers of another checkout: %s, %v", asked, err)
		}
	})
	return containers
}

// What tests have left since the beginning is removed, whether or not somebody else removes it as well, and what was there
// before stays. What cannot be removed is an error that names it.
func TestContainersThatTestsLeaveAreRemoved(t *testing.T) {
	for _, tt := range []struct{ left, stay, said, err string }{
		{"", "", "", ""},
		{"a b", "", "containers that tests had left and that were removed: 2\n", ""},
		{"a gone", "", "containers that tests had left and that were removed: 2\n", ""},
		{"a stays", "stays", "containers that tests had left and that were removed: 1\n", "containers of tests stay: stays"},
	} {
		t.Run(tt.left, func(t *testing.T) {
			dir := fakeDocker(t)
			start := func(names ...string) {
				t.Helper()
				for _, name := range names {
					if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			start("before")
			before, err := testContainers(t.Context())
			if err != nil || !slices.Equal(before, []string{"before"}) {
				t.Fatalf("%q, %v", before, err)
			}
			start(strings.Fields(tt.left)...)
			said, err := removeLeft(t.Context(), before)
			if said != tt.said || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("said %q, %v, want %q, %q", said, err, tt.said, tt.err)
			}
			after, err := testContainers(t.Context())
			if want := append([]string{"before"}, strings.Fields(tt.stay)...); err != nil || !slices.Equal(after, want) {
				t.Errorf("%q, %v, want %q", after, err, want)
			}
		})
	}
}
