//go:build integration

package image_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// engine is Docker with images that a test made.
type engine struct {
	t *testing.T
	// name is part of each name of the test's images.
	name string
}

// docker runs a command of Docker and returns what it prints.
func (e engine) docker(stdin string, args ...string) string {
	e.t.Helper()
	cmd := exec.CommandContext(e.t.Context(), "docker", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		e.t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, faults.String())
	}
	return strings.TrimSpace(string(out))
}

// image makes an image from a base, in two steps, and returns its id. It has no name if name is empty.
func (e engine) image(base, name, mark string) string {
	e.t.Helper()
	args := []string{"build", "--quiet", "--network=none"}
	if name != "" {
		args = append(args, "--tag", name)
	}
	id := e.docker(fmt.Sprintf("FROM %s\nENV FIRST=%s\nENV SECOND=%s\nCMD [\"/none\"]\n", base, mark, mark), append(args, "-")...)
	e.t.Cleanup(func() { e.gone("rmi", id) })
	return id
}

// base makes the base that base.sh makes for a checkout, and returns its name.
func (e engine) base(checkout string) string {
	e.t.Helper()
	name := "slurmlab-base:" + checkout
	e.imported("--change", "LABEL org.slurmlab.checkout="+checkout, "-", name)
	return name
}

// imported makes an image without a base and returns its id.
func (e engine) imported(args ...string) string {
	e.t.Helper()
	var empty bytes.Buffer
	archive := tar.NewWriter(&empty)
	if err := archive.WriteHeader(&tar.Header{Name: "base", Mode: 0o644}); err != nil {
		e.t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		e.t.Fatal(err)
	}
	id := e.docker(empty.String(), append([]string{"import"}, args...)...)
	e.t.Cleanup(func() { e.gone("rmi", id) })
	return id
}

// container makes a container of an image, and returns its id.
func (e engine) container(image string, args ...string) string {
	e.t.Helper()
	id := e.docker("", append(append([]string{"create", "--network=none"}, args...), image)...)
	e.t.Cleanup(func() { e.gone("rm", id) })
	return id
}

// gone removes what the test made. What clean has removed is an error of Docker's.
func (e engine) gone(command, id string) { _ = exec.Command("docker", command, "--force", id).Run() }

// there are the ids of all containers and images of the engine, the builder's intermediate ones among them.
func (e engine) there() []string {
	e.t.Helper()
	return append(strings.Fields(e.docker("", "ps", "--all", "--quiet", "--no-trunc")),
		strings.Fields(e.docker("", "images", "--all", "--quiet", "--no-trunc"))...)
}

// clean runs .ci/clean for a checkout and returns what it says.
func (e engine) clean(checkout string) string {
	e.t.Helper()
	cmd := exec.CommandContext(e.t.Context(), filepath.Join("..", "..", "..", ".ci", "clean"))
	cmd.Env = append(os.Environ(), "SLURMLAB_CHECKOUT="+checkout)
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.t.Fatalf("clean: %v\n%s", err, out)
	}
	return string(out)
}

// TestClean: .ci/clean removes the images and containers of its checkout, and nothing of anybody else's (issue 38, 6).
func TestClean(t *testing.T) {
	e := engine{t: t, name: fmt.Sprintf("t%d", os.Getpid())}
	ours, theirs := e.name+"a", e.name+"b"
	base, other := e.base(ours), e.base(theirs)

	// Of ours: a named image, one that lost its name, and a container that inherits the label.
	named := e.image(base, "slurmlab:"+ours, "1")
	gone := []string{e.image(base, "", "2"), named, e.container(named)}
	// Of another checkout the same, and of another user an image without a name and a label.
	running := e.image(other, "slurmlab:"+theirs, "1")
	stays := []string{running, e.container(running), e.image(other, "", "2"), e.imported("-")}

	before := e.there()
	for _, id := range append(slices.Clone(gone), stays...) {
		if !slices.Contains(before, id) {
			t.Fatalf("%s is not there before clean", id)
		}
	}
	if said := e.clean(ours); said != "" {
		t.Errorf("clean says %q", said)
	}
	after := e.there()
	for _, id := range gone {
		if slices.Contains(after, id) {
			t.Errorf("%s of ours is there after clean", id)
		}
	}
	for _, id := range stays {
		if !slices.Contains(after, id) {
			t.Errorf("%s of others is gone after clean", id)
		}
	}
	if left := e.docker("", "images", "--all", "--quiet", "--filter", "label=org.slurmlab.checkout="+ours); left != "" {
		t.Errorf("images of ours are there after clean: %s", left)
	}
}

// TestCleanLeavesWhatOthersUse: an image of ours stays while somebody else's container or named image is made from it,
// as that could not be used without it.
func TestCleanLeavesWhatOthersUse(t *testing.T) {
	e := engine{t: t, name: fmt.Sprintf("u%d", os.Getpid())}
	ours := e.name + "a"
	base := e.base(ours)
	used := e.image(base, "slurmlab:"+ours, "1")
	// A container that another checkout's slurmlab made has the label of that one.
	theirs := []string{
		e.container(used, "--label", "org.slurmlab.checkout=elsewhere"),
		e.image("slurmlab:"+ours, e.name+"/own", "2"),
	}
	unused := e.image(base, "", "3")

	if said := e.clean(ours); !strings.Contains(said, "clean: images stay that others use:") {
		t.Errorf("clean says %q", said)
	}
	after := e.there()
	for _, id := range append(theirs, used) {
		if !slices.Contains(after, id) {
			t.Errorf("%s is gone after clean", id)
		}
	}
	if slices.Contains(after, unused) {
		t.Errorf("%s, which nobody uses, is there after clean", unused)
	}
}
