package image_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/image"
)

// saved is what docker save of version 20.10 prints for an image of two layers, without what
// nobody reads. A contract test with the real one is that of "slurmlab image load".
func saved() map[string]string {
	return map[string]string{
		"manifest.json": `[{"Config":"c0ffee.json","RepoTags":["slurmlab:latest"],"Layers":["a/layer.tar","b/layer.tar"]}]`,
		"c0ffee.json":   `{"architecture":"amd64","os":"linux","config":{"Labels":{"org.slurmlab.version":"1.2"}},"rootfs":{"type":"layers"}}`,
		"a/layer.tar":   "first layer",
		"b/layer.tar":   strings.Repeat("second layer", 1000),
		"b/VERSION":     "1.0",
	}
}

func tarOf(files map[string]string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_ = w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))})
		_, _ = io.WriteString(w, files[name])
	}
	_ = w.Close()
	return b.Bytes()
}

func filesOf(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	files := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[head.Name] = string(data)
	}
}

func written(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := image.Write(&out, bytes.NewReader(tarOf(saved())), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What was saved is read back from the archive, which is the same each time.
func TestWriteAndRead(t *testing.T) {
	out := written(t)
	if !bytes.Equal(out, written(t)) {
		t.Error("the same image gives two archives")
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(out)
	_ = w.Close()
	for name, archive := range map[string][]byte{"saved": tarOf(saved()), "written": out, "compressed": packed.Bytes()} {
		images, err := image.Read(bytes.NewReader(archive))
		if err != nil || len(images) != 1 {
			t.Fatalf("%s: %v, %v", name, images, err)
		}
		got := images[0]
		if !slices.Equal(got.Names, []string{"slurmlab:latest"}) || got.Labels["org.slurmlab.version"] != "1.2" || got.Architecture != "amd64" || got.OS != "linux" {
			t.Errorf("%s: %+v", name, got)
		}
		if layers, err := layersOf(got, archive); err != nil || !slices.Equal(layers, []string{"first layer", strings.Repeat("second layer", 1000)}) {
			t.Errorf("%s: layers %.40q, %v", name, layers, err)
		}
	}
}

// layersOf are the layers of an image of an archive.
func layersOf(image image.Image, archive []byte) ([]string, error) {
	var layers []string
	err := image.Layers(bytes.NewReader(archive), func(layer io.Reader) error {
		data, err := io.ReadAll(layer)
		layers = append(layers, string(data))
		return err
	})
	return layers, err
}

// Docker 20.10 saves a layer that two images have once, and a symbolic link to it for the other.
func TestLinkedLayer(t *testing.T) {
	archive := func(target string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		_ = w.WriteHeader(&tar.Header{Name: "b/circle", Typeflag: tar.TypeSymlink, Linkname: "layer.tar"})
		for name, text := range saved() {
			head := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}
			if name == "b/layer.tar" {
				head = &tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
				text = ""
			}
			_ = w.WriteHeader(head)
			_, _ = io.WriteString(w, text)
		}
		_ = w.Close()
		return b.Bytes()
	}
	for target, want := range map[string]string{"../a/layer.tar": "", "layer.tar": "link to itself", "circle": "link to a link", "../c/layer.tar": "missing"} {
		file := archive(target)
		images, err := image.Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		layers, err := layersOf(images[0], file)
		if want == "" && (err != nil || !slices.Equal(layers, []string{"first layer", "first layer"})) {
			t.Errorf("%s: %q, %v", target, layers, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
	}
}

// The archive is an image layout as image-spec v1.1 describes it. From index.json every descriptor leads to a blob of
// its digest and size, and the layers hold what was saved.
func TestLayout(t *testing.T) {
	files := filesOf(t, written(t))
	if files["oci-layout"] != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout: %s", files["oci-layout"])
	}
	type descriptor struct {
		MediaType, Digest string
		Size              int
		Annotations       map[string]string
	}
	blob := func(d descriptor) string {
		data := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		if sum := sha256.Sum256([]byte(data)); "sha256:"+hex.EncodeToString(sum[:]) != d.Digest || len(data) != d.Size {
			t.Errorf("%+v leads to %d bytes with the sum %x", d, len(data), sum)
		}
		return data
	}
	var index struct {
		SchemaVersion int
		Manifests     []descriptor
	}
	decode(t, files["index.json"], &index)
	if len(index.Manifests) != 1 || index.SchemaVersion != 2 || index.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "slurmlab:latest" {
		t.Fatalf("index.json: %+v", index)
	}
	var m struct {
		SchemaVersion int
		MediaType     string
		Config        descriptor
		Layers        []descriptor
	}
	decode(t, blob(index.Manifests[0]), &m)
	if m.SchemaVersion != 2 || m.MediaType != "application/vnd.oci.image.manifest.v1+json" || blob(m.Config) != saved()["c0ffee.json"] {
		t.Errorf("manifest: %+v", m)
	}
	for i, name := range []string{"a/layer.tar", "b/layer.tar"} {
		r, err := gzip.NewReader(strings.NewReader(blob(m.Layers[i])))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || string(data) != saved()[name] {
			t.Errorf("layer %d holds %q, %v", i, data, err)
		}
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
}

// Layers and files of an archive cost time and memory each, so their number has a bound.
func TestReadBounds(t *testing.T) {
	files := saved()
	files["manifest.json"] = fmt.Sprintf(`[{"Config":"c0ffee.json","RepoTags":["x:1"],"Layers":["a/layer.tar"%s]}]`, strings.Repeat(`,"a/layer.tar"`, 125))
	many := saved()
	for i := range 16385 {
		many[fmt.Sprint("file", i)] = ""
	}
	for want, archive := range map[string][]byte{"126 layers, allowed 125": tarOf(files), "more than 16384 files": tarOf(many)} {
		if _, err := image.Read(bytes.NewReader(archive)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A file that is no image gives an error that says so.
func TestReadFaults(t *testing.T) {
	without := func(name string) []byte {
		files := saved()
		delete(files, name)
		return tarOf(files)
	}
	whole := tarOf(saved())
	for want, archive := range map[string][]byte{
		"it is no tar archive":                     []byte(strings.Repeat("a text, and a long one. ", 100)),
		"it has no manifest.json":                  without("manifest.json"),
		"its layer b/layer.tar is missing":         without("b/layer.tar"),
		"its configuration c0ffee.json is missing": without("c0ffee.json"),
		"it is cut off or damaged":                 whole[:len(whole)/2],
		"without Docker's manifest.json":           tarOf(map[string]string{"oci-layout": "{}"}),
		"it names no image":                        tarOf(map[string]string{"manifest.json": "[]"}),
		"manifest.json: ":                          tarOf(map[string]string{"manifest.json": "hello"}),
	} {
		if _, err := image.Read(bytes.NewReader(archive)); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if images, err := image.Read(strings.NewReader("")); err == nil {
		t.Errorf("an empty file is %+v", images)
	}
}
