package main

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/slurmlab/slurmlab/containers/slurm/image"
)

// docked answers as Docker does about an image with one tarball, two packages and a package
// that was removed. Its slurmlabd is this test.
func docked(t *testing.T) func(args ...string) (string, error) {
	t.Helper()
	return func(args ...string) (string, error) {
		call := strings.Join(args, " ")
		switch {
		case !strings.Contains(call, "slurmlab:26.05"):
			return "", errors.New("no such image")
		case strings.HasPrefix(call, "image inspect "):
			return "tarball slurm-26.05.1.tar.bz2 sha256:" + strings.Repeat("0a", 32) + "\npackage slurmctld\n", nil
		case strings.Contains(call, "dpkg-query"):
			return "ii \tlibc6\t2.43-2+b1\tamd64\tglibc\t2.43-2\n" +
				"ii \tslurmctld\t26.05.1-1\tamd64\tslurm-wlm\t26.05.1-1\nrc \told\t1\tall\told\t1\n", nil
		case strings.Contains(call, "cat slurmlab:26.05 /usr/local/bin/slurmlabd"):
			text, err := os.ReadFile(binary(t))
			return string(text), err
		default:
			t.Errorf("docker %s", call)
			return "", errors.New("unknown")
		}
	}
}

// binary is one that Go linked from modules: this test.
func binary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// writtenSBOM is the list of parts that the command writes.
func writtenSBOM(t *testing.T) []byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "sbom.json")
	if err := run([]string{"sbom", to, "1.2-abc", "2026-11-25T04:00:00Z", binary(t), "slurmlab:26.05"}, nil, docked(t)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSBOM: the list has what CycloneDX demands of one, every part once with its version,
// and of each thing that consists of others all of these.
func TestSBOM(t *testing.T) {
	text := writtenSBOM(t)
	if !bytes.Equal(text, writtenSBOM(t)) {
		t.Error("the same parts give two lists")
	}
	var head map[string]any
	if err := json.Unmarshal(text, &head); err != nil || head["bomFormat"] != "CycloneDX" || head["version"] != 1.0 ||
		!regexp.MustCompile(`^1\.\d$`).MatchString(head["specVersion"].(string)) || head["serialNumber"] != nil {
		t.Errorf("%v, format %v, version %v of %v, serial number %v", err, head["bomFormat"], head["version"], head["specVersion"], head["serialNumber"])
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if top := bom.Metadata.Component; bom.Metadata.Timestamp != "2026-11-25T04:00:00Z" || top.Name != "slurmlab" || top.Version != "1.2-abc" ||
		(*top.Licenses)[0].License.ID != "Apache-2.0" {
		t.Errorf("metadata: %+v of %+v", bom.Metadata, top)
	}
	parts := map[string]cyclonedx.Component{bom.Metadata.Component.BOMRef: *bom.Metadata.Component}
	for _, c := range *bom.Components {
		if _, twice := parts[c.BOMRef]; twice || c.BOMRef == "" || c.Name == "" || c.Type == "" {
			t.Errorf("component %+v: named twice, or not at all", c)
		}
		if c.Version == "" && c.Hashes == nil {
			t.Errorf("component %s has neither a version nor a hash", c.BOMRef)
		}
		parts[c.BOMRef] = c
	}
	uses := map[string][]string{}
	for _, d := range *bom.Dependencies {
		uses[d.Ref] = *d.Dependencies
		for _, ref := range append(slices.Clone(*d.Dependencies), d.Ref) {
			if parts[ref].Name == "" {
				t.Errorf("%s consists of %s, which is no component", d.Ref, ref)
			}
		}
	}
	if c := parts["pkg:deb/debian/libc6@2.43-2%2Bb1?arch=amd64"]; c.Version != "2.43-2+b1" || (*c.Properties)[0].Value != "glibc 2.43-2" {
		t.Errorf("libc6: %+v", c)
	}
	tarball := "pkg:generic/slurm-26.05.1.tar.bz2?checksum=sha256:" + strings.Repeat("0a", 32)
	if c := parts[tarball]; len(*c.Hashes) != 1 || (*c.Hashes)[0].Value != strings.Repeat("0a", 32) {
		t.Errorf("tarball: %+v", c)
	}
	if got, want := uses["slurmlab:26.05"], []string{
		"pkg:deb/debian/libc6@2.43-2%2Bb1?arch=amd64", "pkg:deb/debian/slurmctld@26.05.1-1?arch=amd64", tarball, "slurmlab:26.05 slurmlabd",
	}; !slices.Equal(got, want) {
		t.Errorf("the image consists of %q, want %q", got, want)
	}
	info, err := buildinfo.ReadFile(binary(t))
	if err != nil || len(info.Deps) == 0 {
		t.Fatalf("modules of this test: %v, %v", info, err)
	}
	for _, m := range info.Deps {
		ref := "pkg:golang/" + m.Path + "@" + m.Version
		for _, user := range []string{"slurmlab", "slurmlab:26.05 slurmlabd"} {
			if !slices.Contains(uses[user], ref) {
				t.Errorf("%s is linked from %s, and the list does not say so", user, ref)
			}
		}
	}
}

// TestFaults: what cannot be listed is an error, and leaves no file behind.
func TestFaults(t *testing.T) {
	to := filepath.Join(t.TempDir(), "out")
	for want, args := range map[string][]string{
		"usage:":                       {"sbom", to},
		"image other:1: no such image": {"sbom", to, "1", "t", binary(t), "other:1"},
		"no such file":                 {"sbom", to, "1", "t", to + ".missing"},
		"manifest.json":                {"image", to},
	} {
		err := run(args, bytes.NewReader(make([]byte, 1024)), docked(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
		if _, err = os.Stat(to); err == nil {
			t.Errorf("%q left a file", args)
			_ = os.Remove(to)
		}
	}
}

// TestImage: what docker save prints becomes a file that "slurmlab image load" knows, the
// same each time.
func TestImage(t *testing.T) {
	files := []struct{ name, text string }{
		{"manifest.json", `[{"Config":"c0ffee.json","RepoTags":["slurmlab:26.05"],"Layers":["a/layer.tar"]}]`},
		{"c0ffee.json", `{"architecture":"amd64","os":"linux","config":{"Labels":{"org.slurmlab.version":"1.2"}},"rootfs":{"type":"layers"}}`},
		{"a/layer.tar", "layer"},
	}
	var saved bytes.Buffer
	w := tar.NewWriter(&saved)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for i := range texts {
		to := filepath.Join(t.TempDir(), "image.tar")
		if err := run([]string{"image", to}, bytes.NewReader(saved.Bytes()), docked(t)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the same image gives two files")
	}
	images, err := image.Read(bytes.NewReader(texts[0]))
	if err != nil || len(images) != 1 || images[0].Labels["org.slurmlab.version"] != "1.2" {
		t.Errorf("got %+v, %v", images, err)
	}
}
