package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
)

// mostText bounds the small files of an archive that are kept until it is known which of
// them describe the image. A configuration has a few kB.
const mostText = 16 << 20

// mostFiles bounds the names of an archive that are kept. Docker 20.10 saves four for each layer.
const mostFiles = 16384

// mostLayers bounds the layers of an image, each of which costs a pass over the archive. Docker makes no more (moby,
// layer/layer_store.go, maxLayerDepth).
const mostLayers = 125

// manifestName is Docker's list of the images of an archive.
const manifestName = "manifest.json"

// manifest is an entry of it.
type manifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Image is what a file tells of the image in it.
type Image struct {
	// ID is Docker's: the digest of the image's configuration.
	ID string
	// Names are its names with tags: "slurmlab:latest".
	Names  []string
	Labels map[string]string
	// OS and Architecture are Go's words: "linux", "amd64".
	OS, Architecture string
	// layers are the files of its layers, the lowest first.
	layers []string
}

// Read reads an archive that Write or "docker save" made, compressed with gzip or not, to its end.
// An archive of several images has all of them.
func Read(r io.Reader) ([]Image, error) {
	files, err := scan(r)
	if err != nil {
		return nil, err
	}
	text, there := files[manifestName]
	if !there {
		if _, layout := files["oci-layout"]; layout {
			return nil, errors.New("it is an OCI archive without Docker's manifest.json; make one with: make release, or docker save")
		}
		return nil, errors.New("it has no manifest.json, so it is no image of Docker")
	}
	var manifests []manifest
	if err = json.Unmarshal(text, &manifests); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	var images []Image
	for _, m := range manifests {
		image, err := m.image(files)
		if err != nil {
			return nil, err
		}
		images = append(images, image)
	}
	if len(images) == 0 {
		return nil, fmt.Errorf("%s: it names no image", manifestName)
	}
	return images, nil
}

// scan reads an archive to its end: the names of all files, and the text of small ones.
func scan(r io.Reader) (map[string][]byte, error) {
	in, err := opened(r)
	if err != nil {
		return nil, err
	}
	files, kept := map[string][]byte{}, 0
	for archive := tar.NewReader(in); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil && len(files) == 0 {
			return nil, fmt.Errorf("it is no tar archive (%w)", err)
		}
		if err != nil {
			return nil, fmt.Errorf("it is cut off or damaged after %d files (%w)", len(files), err)
		}
		name := path.Clean(head.Name)
		if files[name] = nil; len(files) > mostFiles || len(name) > mostName {
			return nil, fmt.Errorf("it has more than %d files, or one of more than %d bytes in its name", mostFiles, mostName)
		}
		if head.Typeflag != tar.TypeReg || head.Size > mostText-int64(kept) || head.Size > mostText/4 {
			continue
		}
		if files[name], err = io.ReadAll(archive); err != nil {
			return nil, fmt.Errorf("it is cut off or damaged in %s (%w)", name, err)
		}
		kept += len(files[name])
	}
}

// opened is the archive itself where it is compressed with gzip.
func opened(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	return gzip.NewReader(in)
}

// config is the part of an image's configuration that is asked for here.
type config struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	Config       struct {
		Labels map[string]string
	} `json:"config"`
}

// image is what the files of an archive say of an entry.
func (m manifest) image(files map[string][]byte) (Image, error) {
	if len(m.Layers) > mostLayers {
		return Image{}, fmt.Errorf("it has %d layers, allowed %d", len(m.Layers), mostLayers)
	}
	for _, layer := range m.Layers {
		if _, there := files[path.Clean(layer)]; !there {
			return Image{}, fmt.Errorf("its layer %s is missing", layer)
		}
	}
	text := files[path.Clean(m.Config)]
	if text == nil {
		return Image{}, fmt.Errorf("its configuration %s is missing", m.Config)
	}
	var c config
	if err := json.Unmarshal(text, &c); err != nil {
		return Image{}, fmt.Errorf("%s: %w", m.Config, err)
	}
	return Image{
		ID: fmt.Sprintf("sha256:%x", sha256.Sum256(text)), Names: m.RepoTags, Labels: c.Config.Labels, OS: c.OS, Architecture: c.Architecture, layers: m.Layers,
	}, nil
}

// Layers gives each layer of an image that Read found in the file, the lowest first: a tar archive, no longer compressed.
func (i Image) Layers(file io.ReadSeeker, with func(layer io.Reader) error) error {
	for _, layer := range i.layers {
		if err := member(file, path.Clean(layer), with); err != nil {
			return fmt.Errorf("layer %s: %w", layer, err)
		}
	}
	return nil
}

// member gives one file of an archive. Older Dockers save a layer that several images have once, and elsewhere a link
// to it. A link to a link is refused: each costs another pass over the archive, and a circle of them has no end.
func member(file io.ReadSeeker, name string, with func(io.Reader) error) error {
	target, err := fileOrLink(file, name, with)
	if err != nil || target == "" {
		return err
	}
	if target == name {
		return errors.New("it is a link to itself")
	}
	if target, err = fileOrLink(file, target, with); err == nil && target != "" {
		return errors.New("it is a link to a link")
	}
	return err
}

// fileOrLink gives one file of an archive, or returns where the link of that name leads.
func fileOrLink(file io.ReadSeeker, name string, with func(io.Reader) error) (target string, err error) {
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	in, err := opened(file)
	if err != nil {
		return "", err
	}
	for archive := tar.NewReader(in); ; {
		head, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return "", errors.New("it is missing")
		case err != nil:
			return "", err
		case path.Clean(head.Name) != name:
		case head.Typeflag == tar.TypeReg:
			data, err := opened(archive)
			if err != nil {
				return "", err
			}
			return "", with(data)
		case head.Typeflag == tar.TypeSymlink && head.Linkname != "":
			return path.Join(path.Dir(name), head.Linkname), nil
		default:
			return "", errors.New("it is no file")
		}
	}
}
