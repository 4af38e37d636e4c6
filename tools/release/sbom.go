package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// daemon is where slurmlabd is in an image.
const daemon = "/usr/local/bin/slurmlabd"

// sbom writes what a release consists of as CycloneDX: the Go modules of slurmlab and of the slurmlabd in the images,
// the Debian packages of the images, and what their Slurm was made from. The time is the commit's, so that the same
// sources give the same list.
func (b *builder) sbom(to, time, binary string, images []string) error {
	top := cyclonedx.Component{
		BOMRef: "slurmlab", Type: cyclonedx.ComponentTypeApplication, Name: "slurmlab", Version: b.version,
		PackageURL: "pkg:golang/github.com/slurmlab/slurmlab@" + b.version,
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
	}
	modules, err := b.modules(binary)
	if err != nil {
		return err
	}
	b.uses(top.BOMRef, modules)
	for _, name := range images {
		if err = b.image(name); err != nil {
			return fmt.Errorf("image %s: %w", name, err)
		}
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: time, Component: &top}
	slices.SortFunc(b.components, func(x, y cyclonedx.Component) int { return cmp.Compare(x.BOMRef, y.BOMRef) })
	bom.Components, bom.Dependencies = &b.components, &b.dependencies
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	out := cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON)
	return errors.Join(out.SetPretty(true).Encode(bom), file.Close())
}

// builder collects the components, each once, and which of them consists of which.
type builder struct {
	// version of slurmlab, and so of the images that work with it.
	version      string
	docker       func(args ...string) (string, error)
	components   []cyclonedx.Component
	dependencies []cyclonedx.Dependency
	seen         map[string]bool
}

// add adds a component that is named by its package URL, and returns that.
func (b *builder) add(c cyclonedx.Component) string {
	if c.BOMRef == "" {
		c.BOMRef = c.PackageURL
	}
	if !b.seen[c.BOMRef] {
		b.seen[c.BOMRef] = true
		b.components = append(b.components, c)
	}
	return c.BOMRef
}

// uses says that one component consists of others.
func (b *builder) uses(ref string, others []string) {
	slices.Sort(others)
	others = slices.Compact(others)
	b.dependencies = append(b.dependencies, cyclonedx.Dependency{Ref: ref, Dependencies: &others})
}

// modules adds the Go modules that a binary was linked from, and Go's own library.
func (b *builder) modules(binary string) ([]string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	refs := []string{b.add(cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: goVersion, PackageURL: "pkg:golang/std@" + goVersion,
	})}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		refs = append(refs, b.add(cyclonedx.Component{
			Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			PackageURL: "pkg:golang/" + m.Path + "@" + url.PathEscape(m.Version),
			Properties: &[]cyclonedx.Property{{Name: "slurmlab:go.sum", Value: m.Sum}},
		}))
	}
	return refs, nil
}

// image adds an image with all that it consists of.
func (b *builder) image(name string) error {
	var refs []string
	sources, err := b.docker("image", "inspect", "--format", fmt.Sprintf("{{index .Config.Labels %q}}", slurm.SourcesLabel), name)
	if err != nil {
		return err
	}
	for line := range strings.Lines(sources) {
		if c, is := tarball(line); is {
			refs = append(refs, b.add(c))
		}
	}
	packages, err := b.docker("run", "--rm", "--network", "none", "--entrypoint", "dpkg-query", name, "--show",
		"--showformat", `${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n`)
	if err != nil {
		return err
	}
	for line := range strings.Lines(packages) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 6 {
			return fmt.Errorf("dpkg-query: %q: want 6 fields", line)
		}
		if strings.HasPrefix(fields[0], "ii") {
			refs = append(refs, b.add(debianPackage(fields[1:])))
		}
	}
	modules, err := b.daemonModules(name)
	if err != nil {
		return err
	}
	daemonRef := b.add(cyclonedx.Component{BOMRef: name + " slurmlabd", Type: cyclonedx.ComponentTypeApplication, Name: "slurmlabd", Version: b.version})
	b.uses(daemonRef, modules)
	ref := b.add(cyclonedx.Component{BOMRef: name, Type: cyclonedx.ComponentTypeContainer, Name: name, Version: b.version})
	b.uses(ref, append(refs, daemonRef))
	return nil
}

// daemonModules adds the Go modules of an image's slurmlabd.
func (b *builder) daemonModules(name string) (refs []string, err error) {
	dir, err := os.MkdirTemp("", "slurmlab-sbom")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	text, err := b.docker("run", "--rm", "--network", "none", "--entrypoint", "cat", name, daemon)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "slurmlabd")
	if err = os.WriteFile(binary, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return b.modules(binary)
}

// tarball is a line of the label of sources that names a tarball: "tarball NAME sha256:SUM".
func tarball(line string) (cyclonedx.Component, bool) {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != "tarball" {
		return cyclonedx.Component{}, false
	}
	sum := strings.TrimPrefix(fields[2], "sha256:")
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, Name: fields[1], PackageURL: "pkg:generic/" + fields[1] + "?checksum=" + fields[2],
		Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}},
	}, true
}

// debianPackage is a package with its version and architecture, and with the version and architecture of its source.
func debianPackage(fields []string) cyclonedx.Component {
	name, version, architecture := fields[0], fields[1], fields[2]
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version,
		PackageURL: fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s", name, url.QueryEscape(version), architecture),
		Properties: &[]cyclonedx.Property{{Name: "slurmlab:debian-source", Value: fields[3] + " " + fields[4]}},
	}
}

// docker is what a command of Docker prints.
func docker(args ...string) (string, error) {
	cmd := exec.Command("docker", args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(complaints.String()))
	}
	return string(out), nil
}
