package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/go-archive"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Unpack puts the files of an image of Docker's into the new directory dir, as a Runtime without
// Docker takes it. An error leaves nothing.
func Unpack(ctx context.Context, name string, img Image, dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("unpack image %s: %w", name, err)
		}
	}()
	docker, err := slurm.Connect("")
	if err != nil {
		return Docker{}.absent(err)
	}
	defer func() { _ = docker.Close() }()
	// Docker gives the files of containers only. This one is never started.
	made, err := docker.ContainerCreate(ctx, client.ContainerCreateOptions{Config: &container.Config{Image: img.ID}})
	if err != nil {
		return err
	}
	defer func() {
		_, removeErr := docker.ContainerRemove(context.WithoutCancel(ctx), made.ID, client.ContainerRemoveOptions{Force: true})
		if removeErr != nil && !errdefs.IsNotFound(removeErr) {
			err = errors.Join(err, removeErr)
		}
	}()
	files, err := docker.ContainerExport(ctx, made.ID, client.ContainerExportOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }()
	return furnish(dir, &img, func(options *archive.TarOptions) error { return archive.Untar(files, dir, options) })
}

// UnpackFile is Unpack of an image that image.Read found in the file, without Docker.
func UnpackFile(file io.ReadSeeker, found image.Image, dir string) error {
	img := imageOf(found.ID, 0, found.Labels)
	err := furnish(dir, &img, func(options *archive.TarOptions) error {
		return found.Layers(file, func(layer io.Reader) error {
			size, err := archive.UnpackLayer(dir, layer, options)
			img.Size += size
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("unpack image %s: %w", strings.Join(found.Names, ", "), err)
	}
	return nil
}

// furnish makes and fills the directory of an image; an error leaves none. Files belong to whoever unpacks them, and
// devices, which an ordinary user cannot make, are left out: a runtime brings those of the machine.
func furnish(dir string, img *Image, fill func(*archive.TarOptions) error) (err error) {
	if err = os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err = fill(&archive.TarOptions{NoLchown: true, InUserNS: true, BestEffortXattrs: true, ExcludePatterns: []string{"dev/*"}}); err != nil {
		return err
	}
	// A runtime mounts on what is there, and the image is read only. Docker writes these files for each container; what the
	// machine that built the image has left in them is nothing to others.
	for _, file := range []string{"etc/hostname", "etc/hosts", "etc/resolv.conf"} {
		if err = os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
			return err
		}
	}
	for _, there := range written() {
		if err := os.MkdirAll(filepath.Join(dir, there), 0o755); err != nil {
			return err
		}
	}
	return trace.WriteAtomic(filepath.Join(dir, imageFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(img)
	})
}
