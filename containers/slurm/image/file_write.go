package image

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// Write makes the file of the one image that "docker save NAME" has put into saved. The
// directory scratch is empty, and has room for the compressed layers meanwhile.
func Write(out io.Writer, saved io.ReadSeeker, scratch string) error {
	files, err := scan(saved)
	if err != nil {
		return fmt.Errorf("read saved image: %w", err)
	}
	var manifests []manifest
	if err = json.Unmarshal(files[manifestName], &manifests); err != nil || len(manifests) != 1 || len(manifests[0].RepoTags) != 1 {
		return fmt.Errorf("read saved image: want one image with one name in %s (%w)", manifestName, errors.Join(err))
	}
	if _, err = manifests[0].image(files); err != nil {
		return fmt.Errorf("read saved image: %w", err)
	}
	w := writer{scratch: scratch}
	if err = w.blobs(saved, files, manifests[0]); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	if err = w.write(out); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	return nil
}

// writer puts the file together.
type writer struct {
	scratch string
	// texts are the files that stand in the archive as they are, in their order, before
	// the blobs in scratch.
	texts  []text
	layers []oci.Descriptor
}

type text struct {
	name string
	data []byte
}

// blobs makes the layers, the configuration, the manifest and what names it.
func (w *writer) blobs(saved io.ReadSeeker, files map[string][]byte, m manifest) error {
	if _, err := saved.Seek(0, io.SeekStart); err != nil {
		return err
	}
	byName := map[string]oci.Descriptor{}
	for archive := tar.NewReader(saved); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for _, layer := range m.Layers {
			if name := path.Clean(head.Name); name == path.Clean(layer) && head.Typeflag == tar.TypeReg {
				if byName[name], err = w.layer(archive); err != nil {
					return fmt.Errorf("layer %s: %w", name, err)
				}
				break
			}
		}
	}
	docker := manifest{RepoTags: m.RepoTags}
	for _, layer := range m.Layers {
		found, there := byName[path.Clean(layer)]
		if !there {
			return fmt.Errorf("layer %s is a link, which newer versions of Docker do not save", layer)
		}
		w.layers = append(w.layers, found)
		docker.Layers = append(docker.Layers, blobName(found))
	}
	configuration := w.blob(oci.MediaTypeImageConfig, files[path.Clean(m.Config)])
	docker.Config = blobName(configuration)
	return w.describe(configuration, docker)
}

// describe writes what leads to the configuration and the layers.
func (w *writer) describe(configuration oci.Descriptor, docker manifest) error {
	manifestText, err := json.Marshal(oci.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest, Config: configuration, Layers: w.layers,
	})
	if err != nil {
		return err
	}
	top := w.blob(oci.MediaTypeImageManifest, manifestText)
	name := docker.RepoTags[0]
	top.Annotations = map[string]string{oci.AnnotationRefName: name}
	for _, file := range []struct {
		name  string
		value any
	}{
		{oci.ImageLayoutFile, oci.ImageLayout{Version: oci.ImageLayoutVersion}},
		{oci.ImageIndexFile, oci.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageIndex, Manifests: []oci.Descriptor{top}}},
		{manifestName, []manifest{docker}},
	} {
		data, err := json.Marshal(file.value)
		if err != nil {
			return err
		}
		w.texts = append(w.texts, text{file.name, data})
	}
	return nil
}

// blob adds a small blob.
func (w *writer) blob(mediaType string, data []byte) oci.Descriptor {
	d := oci.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
	w.texts = append(w.texts, text{blobName(d), data})
	return d
}

// layer compresses a layer into scratch, under the name of its digest.
func (w *writer) layer(from io.Reader) (oci.Descriptor, error) {
	d := oci.Descriptor{MediaType: oci.MediaTypeImageLayerGzip}
	in, err := opened(from)
	if err != nil {
		return d, err
	}
	file, err := os.CreateTemp(w.scratch, "layer")
	if err != nil {
		return d, err
	}
	sum := sha256.New()
	packed := gzip.NewWriter(io.MultiWriter(file, sum))
	_, err = io.Copy(packed, in)
	err = errors.Join(err, packed.Close())
	d.Digest = digest.NewDigest(digest.SHA256, sum)
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr, file.Close()); err != nil {
		return d, err
	}
	d.Size = info.Size()
	return d, os.Rename(file.Name(), filepath.Join(w.scratch, d.Digest.Encoded()))
}

// blobName is where a blob is in the archive.
func blobName(d oci.Descriptor) string {
	return path.Join(oci.ImageBlobsDir, d.Digest.Algorithm().String(), d.Digest.Encoded())
}

// write writes the archive.
func (w *writer) write(out io.Writer) error {
	archive := tar.NewWriter(out)
	head := func(name string, size int64) error {
		return archive.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size, ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
		})
	}
	for _, t := range w.texts {
		if err := head(t.name, int64(len(t.data))); err != nil {
			return err
		}
		if _, err := archive.Write(t.data); err != nil {
			return err
		}
	}
	written := map[digest.Digest]bool{}
	for _, layer := range w.layers {
		if written[layer.Digest] {
			continue
		}
		written[layer.Digest] = true
		if err := head(blobName(layer), layer.Size); err != nil {
			return err
		}
		if err := w.copyLayer(archive, layer); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (w *writer) copyLayer(out io.Writer, layer oci.Descriptor) error {
	file, err := os.Open(filepath.Join(w.scratch, layer.Digest.Encoded()))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, file)
	return errors.Join(err, file.Close())
}
